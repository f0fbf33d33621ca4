#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "bell.h"

static void *produce(void *arg)
{
    for (int i = 0; i < 5; i++) {
        usleep(500);
        bell_ring();
    }
    return arg;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    unsigned seen = 0;
    for (int i = 0; i < 4; i++)
        seen = bell_wait(seen, 50);
    pthread_join(producer, NULL);
    printf("%d\n", seen > 0);
    return 0;
}
