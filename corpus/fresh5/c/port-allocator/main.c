#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "nat.h"

static void *flow(void *arg)
{
    (void)arg;
    int port = nat_take();
    usleep(15000);
    if (port >= 0)
        nat_free(port);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, flow, NULL);
    pthread_create(&b, NULL, flow, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("idle");
    return 0;
}
