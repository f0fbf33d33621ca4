#include "atlas.h"

#include <string.h>

const struct star *atlas_find(struct atlas *a, const char *name)
{
    struct star *hit = NULL;

    pthread_rwlock_rdlock(&a->guard);
    a->lookups++;
    for (int i = 0; i < a->count && !hit; i++)
        if (strcmp(a->stars[i].name, name) == 0)
            hit = &a->stars[i];
    if (hit)
        hit->seen = hit->seen + 1;
    pthread_rwlock_unlock(&a->guard);
    return hit;
}
