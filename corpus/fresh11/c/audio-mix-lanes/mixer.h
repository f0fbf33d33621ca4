#ifndef MIXER_H
#define MIXER_H
#include <stddef.h>

#define LANE 64
#define FADE 8

struct lane {
    float *out;
    size_t start;
    float gain;
};

void *mix_lane(void *arg);

#endif
