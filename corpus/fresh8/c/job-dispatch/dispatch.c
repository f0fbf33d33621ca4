#include "dispatch.h"

#include <stdlib.h>

struct dispatcher *dispatcher_new(const char *name)
{
    struct dispatcher *d = calloc(1, sizeof(*d));
    d->name = name;
    return d;
}

static void finish(struct dispatcher *d)
{
    d->completed++;
}

static void account(struct dispatcher *d, long size)
{
    d->volume += size;
}

void dispatcher_run(struct dispatcher *d, const struct job *jobs, int count)
{
    for (int i = 0; i < count; i++) {
        account(d, jobs[i].size);
        finish(d);
    }
}
