#include "nat.h"

#include <unistd.h>

enum { FIRST = 40000, COUNT = 4 };

static struct {
    long taken[COUNT];
} ports;

int nat_take(void)
{
    for (int i = 0; i < COUNT; i++) {
        if (ports.taken[i])
            continue;
        usleep(2000); /* ask the kernel whether it may be used */
        ports.taken[i] = 1;
        return FIRST + i;
    }
    return -1;
}

void nat_free(int port)
{
    ports.taken[port - FIRST] = 0;
}
