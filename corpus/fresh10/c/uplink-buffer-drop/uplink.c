#include "uplink.h"

#include <stdlib.h>
#include <unistd.h>

static int send_one(struct uplink *u)
{
    if (u->pending == 0)
        return 0;
    u->pending--;
    u->sent++;
    return 1;
}

static int is_closing(struct uplink *u)
{
    pthread_mutex_lock(&u->lock);
    int closing = u->closing;
    pthread_mutex_unlock(&u->lock);
    return closing;
}

static void *sender(void *arg)
{
    struct uplink *u = arg;
    while (!is_closing(u)) {
        send_one(u);
        usleep(100);
    }
    return NULL;
}

struct uplink *uplink_open(int samples)
{
    struct uplink *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    pthread_mutex_init(&u->lock, NULL);
    u->pending = samples;
    pthread_create(&u->sender, NULL, sender, u);
    return u;
}

int uplink_close(struct uplink *u)
{
    u->pending = 0;
    pthread_mutex_lock(&u->lock);
    u->closing = 1;
    pthread_mutex_unlock(&u->lock);
    pthread_join(u->sender, NULL);
    int sent = u->sent;
    free(u);
    return sent;
}
