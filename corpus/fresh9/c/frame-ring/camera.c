#include "camera.h"

#include <unistd.h>

void *camera_run(void *arg)
{
    struct camera *cam = arg;
    for (int i = 0; i < cam->frames; i++) {
        struct frame f = {640, 480, (unsigned long)i};
        ring_push(cam->out, f);
        usleep(1000);
    }
    return NULL;
}
