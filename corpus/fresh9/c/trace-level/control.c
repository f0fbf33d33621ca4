#include "control.h"

#include <stddef.h>
#include <unistd.h>

#include "trace.h"

void *control_run(void *arg)
{
    const int *levels = arg;
    for (int i = 0; levels[i] >= 0; i++) {
        usleep(1500);
        trace_set_level(levels[i]);
    }
    return NULL;
}
