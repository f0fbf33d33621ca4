#include "hosts.h"

#include <stdlib.h>
#include <string.h>

struct host_cache *cache_new(void)
{
    static const char *const names[] = {"db", "mail", "web", "www"};
    struct host_cache *cache = calloc(1, sizeof(*cache));
    pthread_rwlock_init(&cache->lock, NULL);
    for (unsigned i = 0; i < 4; i++) {
        cache->hosts[i].name = names[i];
        cache->hosts[i].address = 0x0a000001 + i;
    }
    return cache;
}

static struct host *find(struct host_cache *cache, const char *name)
{
    for (int i = 0; i < 4; i++)
        if (strcmp(cache->hosts[i].name, name) == 0)
            return &cache->hosts[i];
    return NULL;
}

unsigned cache_lookup(struct host_cache *cache, const char *name)
{
    unsigned address = 0;
    pthread_rwlock_rdlock(&cache->lock);
    struct host *host = find(cache, name);
    if (host) {
        host->hits++;
        address = host->address;
    }
    pthread_rwlock_unlock(&cache->lock);
    return address;
}
