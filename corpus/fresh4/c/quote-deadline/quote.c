#include "quote.h"

#include <time.h>
#include <unistd.h>

static void *broker(void *arg)
{
    struct quote *q = arg;
    usleep(14000);
    q->price = 4211;
    q->source = "broker";
    usleep(60000);
    pthread_mutex_lock(&q->lock);
    q->done = 1;
    pthread_cond_signal(&q->ready);
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

int quote_ask(struct quote *q, long patience_ms)
{
    pthread_t tid;
    struct timespec until;
    int late = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += patience_ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_create(&tid, NULL, broker, q);
    pthread_detach(tid);
    pthread_mutex_lock(&q->lock);
    while (!q->done && !late)
        late = pthread_cond_timedwait(&q->ready, &q->lock, &until) != 0;
    pthread_mutex_unlock(&q->lock);
    return late ? -1 : 0;
}
