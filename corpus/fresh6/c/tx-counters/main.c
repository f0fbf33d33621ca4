#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "nic.h"

static void *transmit(void *arg)
{
    int size = *(int *)arg;
    for (int i = 0; i < 8; i++) {
        nic_send(size);
        usleep(1000);
    }
    return NULL;
}

static void *statistics(void *arg)
{
    long last = 0;
    for (int i = 0; i < 5; i++) {
        usleep(1500);
        last = nic_sent();
    }
    *(long *)arg = last;
    return NULL;
}

int main(void)
{
    int small = 64;
    long last = 0;
    pthread_t tx, st;
    pthread_create(&tx, NULL, transmit, &small);
    pthread_create(&st, NULL, statistics, &last);
    pthread_join(tx, NULL);
    pthread_join(st, NULL);
    printf("sent: %d\n", last >= 0);
    return 0;
}
