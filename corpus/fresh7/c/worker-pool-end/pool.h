#ifndef POOL_H
#define POOL_H

#include <pthread.h>

typedef int (*task_fn)(void *arg, int item);

struct pool {
    pthread_t thread;
    task_fn handler;
    void *arg;
    int done;
};

struct pool *pool_open(task_fn handler, void *arg);
void pool_close(struct pool *pool);
int pool_join(struct pool *pool);

#endif
