#ifndef LOGGER_H
#define LOGGER_H
#include <pthread.h>

struct logger {
    pthread_t thread;
    long written;
    long limit;
    int rotations;
};

struct logger *logger_start(long limit);
int logger_join(struct logger *l);

#endif
