#ifndef RING_H
#define RING_H

#include <stddef.h>

#define RING_SLOTS 64

struct slot {
    const char *text;
    size_t length;
};

struct ring {
    struct slot slots[RING_SLOTS];
    unsigned long head;
    unsigned long bytes;
};

struct ring *ring_new(void);
void ring_put(struct ring *ring, const char *text);

#endif
