#include "query.h"

#include <unistd.h>

static unsigned hash(const char *host)
{
    unsigned h = 2166136261u;
    for (; *host; host++)
        h = (h ^ (unsigned char)*host) * 16777619u;
    return h;
}

static void *resolver(void *arg)
{
    struct query *q = arg;
    usleep(q->delay_us);
    q->address = hash(q->host);
    pthread_mutex_lock(&q->lock);
    q->answered = 1;
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

int query_answered(struct query *q)
{
    pthread_mutex_lock(&q->lock);
    int answered = q->answered;
    pthread_mutex_unlock(&q->lock);
    return answered;
}

/* query_resolve returns 0 when there was no answer in time. */
unsigned query_resolve(struct query *q, unsigned timeout_us)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, resolver, q))
        return 0;
    pthread_detach(thread);
    usleep(timeout_us);
    return q->address;
}
