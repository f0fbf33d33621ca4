#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "hosts.h"

static void *resolve(void *arg)
{
    unsigned sum = 0;
    for (int i = 0; i < 3; i++)
        sum += cache_lookup(arg, "web");
    return sum ? arg : NULL;
}

int main(void)
{
    struct host_cache *cache = cache_new();
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, resolve, cache);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("resolved\n");
    pthread_rwlock_destroy(&cache->lock);
    free(cache);
    return 0;
}
