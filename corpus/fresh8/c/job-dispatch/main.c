#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "dispatch.h"

static const struct job BATCH[] = {{1, 512}, {2, 1024}, {3, 64}, {4, 4096}};

static void *worker(void *arg)
{
    dispatcher_run(arg, BATCH, 4);
    return NULL;
}

int main(void)
{
    struct dispatcher *d = dispatcher_new("thumbnails");
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, d);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%s: %d\n", d->name, d->completed > 0);
    free(d);
    return 0;
}
