#ifndef CAPTURE_H
#define CAPTURE_H

#include "histogram.h"

struct capture {
    struct histogram *sizes;
    unsigned queue;
};

void *capture_run(void *arg);

#endif
