#ifndef TIMER_H
#define TIMER_H

#include <pthread.h>

typedef void (*timer_fn)(void *arg);

struct timer {
    timer_fn fire;
    void *arg;
    unsigned usec;
    int stopped;
    pthread_mutex_t lock;
};

int timer_start(struct timer *t, unsigned usec, timer_fn fire, void *arg);
void timer_stop(struct timer *t);

#endif
