#include "query.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *execute(void *arg)
{
    struct query *q = arg;
    usleep(12000);
    q->rows = 42;
    q->state = 2;
    usleep(10000);
    return NULL;
}

struct query *query_start(void)
{
    struct query *q = calloc(1, sizeof(*q));
    pthread_t tid;
    pthread_create(&tid, NULL, execute, q);
    pthread_detach(tid);
    return q;
}

long query_give_up(struct query *q)
{
    q->state = 3;
    return q->rows;
}
