#include "leases.h"

#include <stdlib.h>

struct leases *leases_new(void)
{
    struct leases *l = calloc(1, sizeof(*l));
    pthread_mutex_init(&l->table_lock, NULL);
    pthread_mutex_init(&l->expiry_lock, NULL);
    l->deadline = 100;
    return l;
}

void leases_renew(struct leases *l, long now)
{
    pthread_mutex_lock(&l->table_lock);
    l->deadline = now + 100;
    pthread_mutex_unlock(&l->table_lock);
}

void leases_expire(struct leases *l, long now)
{
    pthread_mutex_lock(&l->expiry_lock);
    if (l->deadline < now) {
        l->deadline = 0;
        l->expired++;
    }
    pthread_mutex_unlock(&l->expiry_lock);
}
