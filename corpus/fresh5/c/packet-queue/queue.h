#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>
#include <stdbool.h>

struct packet {
    struct packet *next;
    int bytes;
};

struct queue {
    pthread_mutex_t lock;
    struct packet *head;
    long depth;
    long limit;
};

void queue_init(struct queue *q, long limit);
void queue_push(struct queue *q, struct packet *p);
struct packet *queue_pop(struct queue *q);
bool queue_congested(struct queue *q);

#endif
