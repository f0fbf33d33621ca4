#include "hub.h"

#include <stdlib.h>

#include "bus.h"

static long hub_sample(struct hub *h, int channel)
{
    return (long)bus_read(channel) * h->scale;
}

static void *hub_read(void *arg)
{
    struct hub *h = arg;
    for (int i = 0; i < 6; i++)
        h->sum += hub_sample(h, i % 2);
    return NULL;
}

struct hub *hub_open(int scale)
{
    struct hub *h = malloc(sizeof *h);
    h->sum = 0;
    h->scale = 0;
    pthread_create(&h->reader, NULL, hub_read, h);
    h->scale = scale * bus_probe();
    return h;
}

long hub_close(struct hub *h)
{
    pthread_join(h->reader, NULL);
    long sum = h->sum;
    free(h);
    return sum;
}
