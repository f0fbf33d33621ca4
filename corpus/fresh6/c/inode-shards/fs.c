#include "fs.h"

#include <stdlib.h>

struct group *fs_groups(long blocks)
{
    struct super *s = calloc(1, sizeof *s);
    s->free_blocks = blocks;
    s->magic = 0xef53;
    struct group *g = calloc(GROUPS, sizeof *g);
    for (int i = 0; i < GROUPS; i++) {
        pthread_mutex_init(&g[i].lock, NULL);
        g[i].super = s;
    }
    return g;
}

int block_alloc(struct group *g, int n)
{
    int done = 0;
    pthread_mutex_lock(&g->lock);
    if (g->super->free_blocks >= n) {
        g->super->free_blocks -= n;
        g->used += n;
        done = n;
    }
    pthread_mutex_unlock(&g->lock);
    return done;
}
