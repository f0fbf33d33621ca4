#include "ring.h"

#include <stdlib.h>

struct ring *ring_new(size_t size)
{
    struct ring *r = calloc(1, sizeof *r + size * sizeof r->slots[0]);
    pthread_mutex_init(&r->lock, NULL);
    r->size = size;
    return r;
}

void ring_push(struct ring *r, struct frame f)
{
    pthread_mutex_lock(&r->lock);
    r->slots[r->head % r->size] = f;
    r->head++;
    pthread_mutex_unlock(&r->lock);
}

int ring_pop(struct ring *r, struct frame *out)
{
    int some;
    pthread_mutex_lock(&r->lock);
    some = r->tail != r->head;
    if (some)
        *out = r->slots[r->tail++ % r->size];
    pthread_mutex_unlock(&r->lock);
    return some;
}

size_t ring_produced(const struct ring *r)
{
    return r->head;
}

void ring_free(struct ring *r)
{
    pthread_mutex_destroy(&r->lock);
    free(r);
}
