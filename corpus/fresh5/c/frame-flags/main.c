#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ring.h"

static void *producer(void *arg)
{
    for (int i = 0; i < 5; i++) {
        ring_publish(arg);
        usleep(3000);
    }
    usleep(20000);
    return NULL;
}

int main(void)
{
    struct ring *r = ring_new(16);
    pthread_t tid;
    pthread_create(&tid, NULL, producer, r);
    usleep(8000);
    unsigned long n = ring_total(r);
    pthread_join(tid, NULL);
    printf("%s\n", n <= 5 ? "ok" : "odd");
    free(r);
    return 0;
}
