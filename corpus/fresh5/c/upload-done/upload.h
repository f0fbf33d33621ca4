#ifndef UPLOAD_H
#define UPLOAD_H

#include <pthread.h>
#include <semaphore.h>

struct upload {
    sem_t done;
    pthread_t thread;
    long parts;
};

struct upload *upload_start(void);
long upload_wait(struct upload *u);

#endif
