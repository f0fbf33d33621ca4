/* An address is lent for a while. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "timer.h"

struct lease {
    struct timer clock;
    long expired;
    long renewals;
};

static void lease_expire(void *arg)
{
    struct lease *l = arg;
    usleep(15000); /* tell the neighbours */
    l->expired = 1;
    l->renewals = 0;
}

static void lease_renew(struct lease *l)
{
    timer_stop(&l->clock);
    l->renewals++;
    l->expired = 0;
}

int main(void)
{
    struct lease *l = calloc(1, sizeof *l);
    if (timer_start(&l->clock, 3000, lease_expire, l) != 0)
        return 1;
    usleep(10000);
    lease_renew(l);
    usleep(500000);
    puts("renewed");
    return 0;
}
