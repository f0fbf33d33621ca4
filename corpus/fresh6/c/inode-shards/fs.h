#ifndef FS_H
#define FS_H

#include <pthread.h>

#define GROUPS 2

struct super {
    long free_blocks;
    long magic;
};

struct group {
    pthread_mutex_t lock;
    struct super *super;
    int used;
};

struct group *fs_groups(long blocks);
int block_alloc(struct group *g, int n);

#endif
