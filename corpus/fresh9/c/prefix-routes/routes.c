#include "routes.h"

#include <stdlib.h>

void routes_init(struct routes *t)
{
    pthread_rwlock_init(&t->lock, NULL);
    t->first = NULL;
}

void routes_add(struct routes *t, unsigned prefix, unsigned mask, int iface)
{
    struct route *r = calloc(1, sizeof *r);
    r->prefix = prefix;
    r->mask = mask;
    r->iface = iface;
    pthread_rwlock_wrlock(&t->lock);
    r->next = t->first;
    t->first = r;
    pthread_rwlock_unlock(&t->lock);
}

int routes_lookup(struct routes *t, unsigned addr)
{
    int iface = -1;
    pthread_rwlock_rdlock(&t->lock);
    for (struct route *r = t->first; r; r = r->next) {
        if ((addr & r->mask) == r->prefix) {
            r->used++;
            iface = r->iface;
            break;
        }
    }
    pthread_rwlock_unlock(&t->lock);
    return iface;
}

void routes_clear(struct routes *t)
{
    while (t->first) {
        struct route *r = t->first;
        t->first = r->next;
        free(r);
    }
    pthread_rwlock_destroy(&t->lock);
}
