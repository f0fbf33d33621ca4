#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "acceptor.h"

static void *accept_loop(void *arg)
{
    for (int i = 0; i < 10; i++) {
        listener_accept(arg);
        usleep(500);
    }
    return NULL;
}

int main(void)
{
    struct listener *listener = calloc(1, sizeof(*listener));
    pthread_t thread;
    long last = 0, sum = 0;
    pthread_create(&thread, NULL, accept_loop, listener);
    for (int i = 0; i < 4; i++) {
        usleep(1000);
        sum += listener_rate(listener, &last);
    }
    pthread_join(thread, NULL);
    printf("rate: %d\n", sum >= 0);
    free(listener);
    return 0;
}
