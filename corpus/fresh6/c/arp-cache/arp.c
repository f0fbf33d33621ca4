#include "arp.h"

#include <stdlib.h>

struct arp *arp_new(int count)
{
    struct arp *a = calloc(1, sizeof *a);
    pthread_rwlock_init(&a->lock, NULL);
    a->entries = calloc(count, sizeof *a->entries);
    a->count = count;
    for (int i = 0; i < count; i++)
        a->entries[i].ip = 0x0a000001u + i;
    return a;
}

int arp_lookup(struct arp *a, unsigned ip, long now)
{
    int found = 0;
    pthread_rwlock_rdlock(&a->lock);
    for (int i = 0; i < a->count && !found; i++) {
        struct neighbour *n = &a->entries[i];
        if (n->ip != ip)
            continue;
        n->hits++;
        n->tick = now;
        found = 1;
    }
    pthread_rwlock_unlock(&a->lock);
    return found;
}
