#include "pool.h"

#include <stdlib.h>
#include <unistd.h>

struct pool *pool_open(int size)
{
    struct pool *p = calloc(1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    p->size = size;
    for (int i = 0; i < size; i++) {
        struct conn *c = malloc(sizeof *c);
        c->fd = 100 + i;
        c->next = p->idle;
        p->idle = c;
    }
    return p;
}

static struct conn *pop(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    struct conn *c = p->idle;
    if (c)
        p->idle = c->next;
    pthread_mutex_unlock(&p->lock);
    return c;
}

struct conn *pool_take(struct pool *p)
{
    struct conn *c = pop(p);
    while (!c) {
        p->waits++;
        usleep(2500);
        c = pop(p);
    }
    p->in_use++;
    return c;
}

void pool_give(struct pool *p, struct conn *c)
{
    p->in_use--;
    pthread_mutex_lock(&p->lock);
    c->next = p->idle;
    p->idle = c;
    pthread_mutex_unlock(&p->lock);
}

void pool_close(struct pool *p)
{
    while (p->idle) {
        struct conn *c = p->idle;
        p->idle = c->next;
        free(c);
    }
    pthread_mutex_destroy(&p->lock);
    free(p);
}
