#ifndef LOOP_H
#define LOOP_H

#include <pthread.h>

struct loop {
    pthread_t thread;
    long rounds;
    int running;
};

struct loop *loop_start(void);
void loop_stop(struct loop *loop);

#endif
