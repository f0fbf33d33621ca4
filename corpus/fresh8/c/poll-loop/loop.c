#include "loop.h"

#include <stdlib.h>
#include <unistd.h>

static int should_run(const struct loop *loop)
{
    return loop->running;
}

static void *loop_main(void *arg)
{
    struct loop *loop = arg;
    while (should_run(loop) && loop->rounds < 400) {
        loop->rounds++;
        usleep(500);
    }
    return NULL;
}

struct loop *loop_start(void)
{
    struct loop *loop = calloc(1, sizeof(*loop));
    loop->running = 1;
    pthread_create(&loop->thread, NULL, loop_main, loop);
    return loop;
}

void loop_stop(struct loop *loop)
{
    loop->running = 0;
    pthread_join(loop->thread, NULL);
    free(loop);
}
