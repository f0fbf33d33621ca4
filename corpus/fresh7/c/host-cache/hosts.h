#ifndef HOSTS_H
#define HOSTS_H

#include <pthread.h>

struct host {
    const char *name;
    unsigned address;
    unsigned long hits;
};

struct host_cache {
    pthread_rwlock_t lock;
    struct host hosts[4];
};

struct host_cache *cache_new(void);
unsigned cache_lookup(struct host_cache *cache, const char *name);

#endif
