#ifndef LIMITER_H
#define LIMITER_H

#include <pthread.h>

struct bucket {
    long tokens;
    long refills;
};

struct limiter {
    pthread_mutex_t lock;
    struct bucket *bucket;
    int burst;
};

struct limiter limiter_make(int burst);
int limiter_take(struct limiter *l, int n);

#endif
