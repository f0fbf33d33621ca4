#ifndef POOL_H
#define POOL_H

#include <pthread.h>

struct conn {
    int fd;
    struct conn *next;
};

struct pool {
    pthread_mutex_t lock;
    struct conn *idle;
    long size;
    long in_use;
    long waits;
};

struct pool *pool_open(int size);
struct conn *pool_take(struct pool *p);
void pool_give(struct pool *p, struct conn *c);
void pool_close(struct pool *p);

#endif
