#include "ring.h"

#include <stdlib.h>

struct ring *ring_new(unsigned long capacity)
{
    struct ring *r = calloc(1, sizeof(*r));
    if (r != NULL)
        r->capacity = capacity;
    return r;
}

void ring_publish(struct ring *r)
{
    __atomic_fetch_add(&r->produced, 1, __ATOMIC_RELEASE);
}

unsigned long ring_total(const struct ring *r)
{
    return r->produced;
}
