#ifndef ARENA_H
#define ARENA_H
#include <pthread.h>
#include <stddef.h>

struct size_class {
    pthread_mutex_t lock;
    size_t size;
    int taken;
};

struct arena {
    pthread_mutex_t lock;
    struct size_class small;
    size_t free_bytes;
};

extern struct arena arena;

void arena_take(void);
void arena_trim(size_t bytes);

#endif
