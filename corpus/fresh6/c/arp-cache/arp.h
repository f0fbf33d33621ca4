#ifndef ARP_H
#define ARP_H

#include <pthread.h>

struct neighbour {
    unsigned ip;
    unsigned char mac[6];
    long hits;
    long tick;
};

struct arp {
    pthread_rwlock_t lock;
    struct neighbour *entries;
    int count;
};

struct arp *arp_new(int count);
int arp_lookup(struct arp *a, unsigned ip, long now);

#endif
