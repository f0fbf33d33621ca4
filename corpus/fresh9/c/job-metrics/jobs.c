#include "jobs.h"

#include <stddef.h>
#include <unistd.h>

#include "metrics.h"

static int compress(int n)
{
    usleep(500);
    return n % 4 != 3;
}

void *jobs_run(void *arg)
{
    int *count = arg;
    for (int i = 0; i < *count; i++)
        metrics_job(compress(i));
    return NULL;
}
