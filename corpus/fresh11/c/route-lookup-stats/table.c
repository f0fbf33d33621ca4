#include "table.h"

#include <stdlib.h>

struct table *table_new(int count)
{
    struct table *t = calloc(1, sizeof *t);
    pthread_rwlock_init(&t->lock, NULL);
    t->routes = calloc((size_t)count, sizeof *t->routes);
    t->count = count;
    for (int i = 0; i < count; i++) {
        t->routes[i].prefix = (uint32_t)i << 24;
        t->routes[i].mask = 0xff000000u;
        t->routes[i].port = i;
    }
    return t;
}

int table_lookup(struct table *t, uint32_t ip)
{
    int port = -1;
    pthread_rwlock_rdlock(&t->lock);
    for (int i = 0; i < t->count; i++) {
        struct route *r = &t->routes[i];
        if ((ip & r->mask) == r->prefix) {
            r->packets++;
            port = r->port;
            break;
        }
    }
    pthread_rwlock_unlock(&t->lock);
    return port;
}

void table_free(struct table *t)
{
    pthread_rwlock_destroy(&t->lock);
    free(t->routes);
    free(t);
}
