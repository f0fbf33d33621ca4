#ifndef ATLAS_H
#define ATLAS_H

#include <pthread.h>

struct star {
    const char *name;
    double magnitude;
    long seen;
};

struct atlas {
    pthread_rwlock_t guard;
    struct star *stars;
    int count;
    long lookups;
};

const struct star *atlas_find(struct atlas *a, const char *name);

#endif
