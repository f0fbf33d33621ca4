#ifndef UPLINK_H
#define UPLINK_H

#include <pthread.h>

struct uplink {
    pthread_t sender;
    pthread_mutex_t lock;
    int closing;
    int pending;
    int sent;
};

struct uplink *uplink_open(int samples);
int uplink_close(struct uplink *u);

#endif
