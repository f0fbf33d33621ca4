#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store.h"

struct counter {
    struct store store;
    useconds_t pause;
};

static void *serve(void *arg)
{
    struct counter *c = arg;
    for (int i = 0; i < 3; i++) {
        usleep(c->pause);
        store_sell(&c->store, 2, 1);
    }
    usleep(20000);
    return NULL;
}

int main(void)
{
    struct store shop = {PTHREAD_MUTEX_INITIALIZER, calloc(1, sizeof(struct stock))};
    struct counter counters[2] = {{shop, 4000}, {shop, 6000}};
    pthread_t tids[2];

    shop.stock->flour = shop.stock->sugar = 100;
    for (int i = 0; i < 2; i++)
        pthread_create(&tids[i], NULL, serve, &counters[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(tids[i], NULL);
    printf("%d\n", shop.stock->flour < 100);
    free(shop.stock);
    return 0;
}
