#include "dock.h"

#include <stdlib.h>

struct dock *dock_open(const char *name)
{
    struct dock *d = calloc(1, sizeof *d);
    if (d)
        d->name = name;
    return d;
}

void dock_enter(struct dock *d, long tons)
{
    d->ships++;
    d->tons += tons;
}

void dock_summary(const struct dock *d, long *ships, long *tons)
{
    *ships = d->ships;
    *tons = d->tons;
}
