#include "queue.h"

#include <stddef.h>

void queue_init(struct queue *q, long limit)
{
    pthread_mutex_init(&q->lock, NULL);
    q->head = NULL;
    q->depth = 0;
    q->limit = limit;
}

void queue_push(struct queue *q, struct packet *p)
{
    pthread_mutex_lock(&q->lock);
    p->next = q->head;
    q->head = p;
    q->depth++;
    pthread_mutex_unlock(&q->lock);
}

struct packet *queue_pop(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    struct packet *p = q->head;
    if (p != NULL) {
        q->head = p->next;
        q->depth--;
    }
    pthread_mutex_unlock(&q->lock);
    return p;
}

bool queue_congested(struct queue *q)
{
    return q->depth > q->limit;
}
