#ifndef TABLE_H
#define TABLE_H
#include <pthread.h>
#include <stdint.h>

struct route {
    uint32_t prefix, mask;
    int port;
    unsigned long packets;
};

struct table {
    pthread_rwlock_t lock;
    int count;
    struct route *routes;
};

struct table *table_new(int count);
int table_lookup(struct table *t, uint32_t ip);
void table_free(struct table *t);

#endif
