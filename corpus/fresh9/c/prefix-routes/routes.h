#ifndef ROUTES_H
#define ROUTES_H
#include <pthread.h>

struct route {
    unsigned prefix, mask;
    int iface;
    unsigned long used;
    struct route *next;
};

struct routes {
    pthread_rwlock_t lock;
    struct route *first;
};

void routes_init(struct routes *t);
void routes_add(struct routes *t, unsigned prefix, unsigned mask, int iface);
int routes_lookup(struct routes *t, unsigned addr);
void routes_clear(struct routes *t);
#endif
