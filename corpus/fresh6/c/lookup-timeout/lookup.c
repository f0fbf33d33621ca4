#include "lookup.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { PENDING, FOUND, TIMED_OUT };

static void *resolve(void *arg)
{
    struct lookup *l = arg;
    usleep(8000);
    l->address = 0x7f000001;
    l->status = FOUND;
    usleep(10000);
    return NULL;
}

struct lookup *lookup_begin(const char *host)
{
    struct lookup *l = calloc(1, sizeof *l);
    l->host = host;
    pthread_t t;
    pthread_create(&t, NULL, resolve, l);
    pthread_detach(t);
    return l;
}

long lookup_wait(struct lookup *l, int ms)
{
    usleep(ms * 1000);
    long found = l->address;
    if (!found)
        l->status = TIMED_OUT;
    return found;
}
