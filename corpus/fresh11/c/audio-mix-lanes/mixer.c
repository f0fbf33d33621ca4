#include "mixer.h"

static float fade(size_t i)
{
    if (i < FADE)
        return (float)i / FADE;
    if (i >= LANE)
        return (float)(LANE + FADE - i) / FADE;
    return 1.0f;
}

void *mix_lane(void *arg)
{
    struct lane *l = arg;
    for (size_t i = 0; i < LANE + FADE; i++) {
        float sample = l->gain * (float)(i % 7);
        l->out[l->start + i] += sample * fade(i);
    }
    return NULL;
}
