#include <stdio.h>
#include <unistd.h>

#include "arp.h"

static void *rx_queue(void *arg)
{
    struct arp *a = arg;
    for (long tick = 1; tick <= 5; tick++) {
        arp_lookup(a, 0x0a000002u, tick);
        usleep(1500);
    }
    usleep(10000);
    return NULL;
}

int main(void)
{
    struct arp *a = arp_new(4);
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, rx_queue, a);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("forwarded");
    return 0;
}
