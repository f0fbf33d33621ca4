#ifndef LOOM_H
#define LOOM_H

#include <stdatomic.h>

struct shift {
    atomic_long picks;
    long day;
};

struct loom {
    const char *name;
    struct shift now;
};

void loom_pick(struct loom *l);
void loom_new_day(struct loom *l, long day);

#endif
