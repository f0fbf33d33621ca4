#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "stats.h"

static void *receive(void *arg)
{
    (void)arg;
    for (int i = 0; i < 4; i++) {
        stats_drop();
        usleep(3000);
    }
    usleep(20000);
    return NULL;
}

int main(void)
{
    pthread_t tid;
    pthread_create(&tid, NULL, receive, NULL);
    usleep(7000);
    stats_reset();
    pthread_join(tid, NULL);
    puts("reset");
    return 0;
}
