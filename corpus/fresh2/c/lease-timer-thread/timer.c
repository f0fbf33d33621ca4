/* A timer is a thread that sleeps. */
#include "timer.h"

#include <unistd.h>

static void *timer_main(void *arg)
{
    struct timer *t = arg;
    usleep(t->usec);
    pthread_mutex_lock(&t->lock);
    int stopped = t->stopped;
    pthread_mutex_unlock(&t->lock);
    if (!stopped)
        t->fire(t->arg);
    return NULL;
}

int timer_start(struct timer *t, unsigned usec, timer_fn fire, void *arg)
{
    pthread_t thread;
    t->fire = fire;
    t->arg = arg;
    t->usec = usec;
    t->stopped = 0;
    pthread_mutex_init(&t->lock, NULL);
    if (pthread_create(&thread, NULL, timer_main, t) != 0)
        return -1;
    return pthread_detach(thread);
}

void timer_stop(struct timer *t)
{
    pthread_mutex_lock(&t->lock);
    t->stopped = 1;
    pthread_mutex_unlock(&t->lock);
}
