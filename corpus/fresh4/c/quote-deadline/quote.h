#ifndef QUOTE_H
#define QUOTE_H

#include <pthread.h>

struct quote {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int done;
    long price;
    const char *source;
};

int quote_ask(struct quote *q, long patience_ms);

#endif
