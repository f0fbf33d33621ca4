#include "stats.h"

static struct stats nic_stats;

void stats_drop(void)
{
    __atomic_fetch_add(&nic_stats.drops, 1, __ATOMIC_RELAXED);
}

void stats_reset(void)
{
    nic_stats = (struct stats){0};
}
