#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "mbuf.h"

static void *capture(void *arg)
{
    usleep(6000);
    mbuf_sniff(arg);
    usleep(20000);
    return NULL;
}

int main(void)
{
    pthread_t tid;
    mbuf_setup();
    struct mbuf *m = mbuf_get(64);
    pthread_create(&tid, NULL, capture, m);
    mbuf_put(m);
    usleep(12000);
    mbuf_get(1500);
    pthread_join(tid, NULL);
    puts("link down");
    return 0;
}
