#include "limiter.h"

#include <stdlib.h>

struct limiter limiter_make(int burst)
{
    struct limiter l = {.burst = burst};
    pthread_mutex_init(&l.lock, NULL);
    l.bucket = calloc(1, sizeof *l.bucket);
    l.bucket->tokens = burst;
    return l;
}

int limiter_take(struct limiter *l, int n)
{
    int ok = 0;
    pthread_mutex_lock(&l->lock);
    if (l->bucket->tokens >= n) {
        l->bucket->tokens -= n;
        ok = 1;
    }
    pthread_mutex_unlock(&l->lock);
    return ok;
}
