#include "cpu.h"

#include <unistd.h>

static int cores;

static int probe(void)
{
    usleep(1000);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int cpu_cores(void)
{
    if (!cores)
        cores = probe();
    return cores;
}
