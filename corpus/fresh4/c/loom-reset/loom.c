#include "loom.h"

void loom_pick(struct loom *l)
{
    atomic_fetch_add(&l->now.picks, 1);
}

void loom_new_day(struct loom *l, long day)
{
    struct shift fresh = {.day = day};
    l->now = fresh;
}
