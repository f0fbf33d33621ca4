#include "rail.h"

#include <stdlib.h>
#include <unistd.h>

static void *drive(void *arg)
{
    rail_t *r = arg;
    usleep(6000);
    if (r->route == NULL)
        return NULL;
    if (r->speed > 300)
        usleep(1000);
    usleep(20000);
    return NULL;
}

rail_t *rail_boot(const char *route, long speed)
{
    rail_t *r = calloc(1, sizeof(rail_t));
    pthread_create(&r->thread, NULL, drive, r);
    r->route = route;
    r->speed = speed;
    return r;
}

void rail_wait(rail_t *r)
{
    pthread_join(r->thread, NULL);
    free(r);
}
