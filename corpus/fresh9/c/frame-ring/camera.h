#ifndef CAMERA_H
#define CAMERA_H
#include "ring.h"

struct camera {
    struct ring *out;
    int frames;
};

void *camera_run(void *camera);
#endif
