#ifndef RAIL_H
#define RAIL_H

#include <pthread.h>

typedef struct {
    pthread_t thread;
    const char *route;
    long speed;
} rail_t;

rail_t *rail_boot(const char *route, long speed);
void rail_wait(rail_t *r);

#endif
