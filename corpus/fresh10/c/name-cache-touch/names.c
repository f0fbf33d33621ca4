#include "names.h"

#include <pthread.h>
#include <stddef.h>

#define SLOTS 8

struct entry {
    const char *name;
    long used;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct entry entries[SLOTS];

void names_put(int id, const char *name)
{
    pthread_rwlock_wrlock(&lock);
    entries[id % SLOTS].name = name;
    pthread_rwlock_unlock(&lock);
}

const char *names_get(int id, long now)
{
    pthread_rwlock_rdlock(&lock);
    struct entry *e = &entries[id % SLOTS];
    const char *name = e->name;
    if (name)
        e->used = now;
    pthread_rwlock_unlock(&lock);
    return name;
}

int names_expire(long before)
{
    int gone = 0;
    pthread_rwlock_wrlock(&lock);
    for (int i = 0; i < SLOTS; i++) {
        if (entries[i].name && entries[i].used < before) {
            entries[i].name = NULL;
            gone++;
        }
    }
    pthread_rwlock_unlock(&lock);
    return gone;
}
