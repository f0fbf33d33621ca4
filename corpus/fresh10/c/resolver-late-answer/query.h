#ifndef QUERY_H
#define QUERY_H

#include <pthread.h>

struct query {
    char host[32];
    unsigned address;
    unsigned delay_us;
    pthread_mutex_t lock;
    int answered;
};

unsigned query_resolve(struct query *q, unsigned timeout_us);
int query_answered(struct query *q);

#endif
