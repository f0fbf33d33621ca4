#include "metrics.h"

static struct metrics metrics;

void metrics_job(int ok)
{
    __atomic_fetch_add(&metrics.finished, 1, __ATOMIC_RELAXED);
    if (!ok)
        __atomic_fetch_add(&metrics.failed, 1, __ATOMIC_RELAXED);
}

long metrics_finished(void)
{
    return metrics.finished;
}

long metrics_failed(void)
{
    return __atomic_load_n(&metrics.failed, __ATOMIC_RELAXED);
}
