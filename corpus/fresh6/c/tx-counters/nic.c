#include "nic.h"

struct counters {
    long sent;
    long limit;
};

static struct counters counters = {0, 1500};

void nic_send(int bytes)
{
    if (bytes > counters.limit)
        return;
    __atomic_fetch_add(&counters.sent, 1, __ATOMIC_RELAXED);
}

long nic_sent(void)
{
    return counters.sent;
}
