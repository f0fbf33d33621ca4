#ifndef RING_H
#define RING_H
#include <pthread.h>
#include <stddef.h>

struct frame {
    int width, height;
    unsigned long stamp;
};

struct ring {
    pthread_mutex_t lock;
    size_t size;
    size_t head;
    size_t tail;
    struct frame slots[];
};

struct ring *ring_new(size_t size);
void ring_push(struct ring *r, struct frame f);
int ring_pop(struct ring *r, struct frame *out);
size_t ring_produced(const struct ring *r);
void ring_free(struct ring *r);
#endif
