#ifndef LEASES_H
#define LEASES_H

#include <pthread.h>

struct leases {
    pthread_mutex_t table_lock;
    pthread_mutex_t expiry_lock;
    long deadline;
    int expired;
};

struct leases *leases_new(void);
void leases_renew(struct leases *l, long now);
void leases_expire(struct leases *l, long now);

#endif
