#ifndef FRAMES_H
#define FRAMES_H

#include <pthread.h>

struct frame {
    struct frame *next;
    long len;
    char data[64];
};

struct frame *frame_get(void);
void frame_put(struct frame *f);

#endif
