#include "arena.h"

struct arena arena = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .small = {.lock = PTHREAD_MUTEX_INITIALIZER, .size = 64},
    .free_bytes = 1 << 20,
};

void arena_take(void)
{
    struct size_class *c = &arena.small;
    pthread_mutex_lock(&c->lock);
    c->taken++;
    arena.free_bytes -= c->size;
    pthread_mutex_unlock(&c->lock);
}

void arena_trim(size_t bytes)
{
    pthread_mutex_lock(&arena.lock);
    if (arena.free_bytes > bytes)
        arena.free_bytes -= bytes;
    pthread_mutex_unlock(&arena.lock);
}
