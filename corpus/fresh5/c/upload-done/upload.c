#include "upload.h"

#include <stdlib.h>
#include <unistd.h>

static void *send_parts(void *arg)
{
    struct upload *u = arg;
    long sent = 0;
    for (int i = 0; i < 3; i++) {
        usleep(2000);
        sent++;
    }
    sem_post(&u->done);
    usleep(4000); /* close the connection */
    u->parts = sent;
    usleep(15000);
    return NULL;
}

struct upload *upload_start(void)
{
    struct upload *u = calloc(1, sizeof(*u));
    sem_init(&u->done, 0, 0);
    pthread_create(&u->thread, NULL, send_parts, u);
    return u;
}

long upload_wait(struct upload *u)
{
    sem_wait(&u->done);
    return u->parts;
}
