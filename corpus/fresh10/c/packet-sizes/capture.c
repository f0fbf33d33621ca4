#include "capture.h"

#include <unistd.h>

static size_t next_packet(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return 40 + (*state >> 16) % 1400;
}

void *capture_run(void *arg)
{
    struct capture *c = arg;
    unsigned state = c->queue;
    for (int i = 0; i < 50; i++) {
        histogram_add(c->sizes, next_packet(&state));
        usleep(20);
    }
    return NULL;
}
