#include "encoder.h"

#include <stddef.h>
#include <unistd.h>

static long frames_done;

static void encode(int frame)
{
    usleep(50 + frame % 3);
    __atomic_add_fetch(&frames_done, 1, __ATOMIC_RELAXED);
}

void *encoder_run(void *arg)
{
    struct encoder *e = arg;
    for (int frame = e->first; frame < e->last; frame++)
        encode(frame);
    return NULL;
}

long encoder_frames(void)
{
    return frames_done;
}
