#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "ring.h"

struct producer {
    struct ring *ring;
    const char *line;
};

static void *produce(void *arg)
{
    struct producer *p = arg;
    for (int i = 0; i < 4; i++)
        ring_put(p->ring, p->line);
    return NULL;
}

int main(void)
{
    struct ring *ring = ring_new();
    struct producer producers[2] = {{ring, "accepted"}, {ring, "closed by peer"}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, produce, &producers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("written\n");
    free(ring);
    return 0;
}
