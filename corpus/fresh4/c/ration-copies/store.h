#ifndef STORE_H
#define STORE_H

#include <pthread.h>

struct stock {
    long flour;
    long sugar;
};

struct store {
    pthread_mutex_t lock;
    struct stock *stock;
};

void store_sell(struct store *s, long flour, long sugar);

#endif
