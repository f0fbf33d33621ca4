/* An event loop that runs in one thread and is woken by others. */
#include "loop.h"

#include <string.h>
#include <unistd.h>

void loop_init(struct loop *l, loop_fn idle, void *arg)
{
    memset(l, 0, sizeof *l);
    l->idle = idle;
    l->arg = arg;
}

void loop_post(struct loop *l, long deadline)
{
    l->pending = l->pending + 1;
    l->deadline = deadline;
}

static int loop_turn(struct loop *l)
{
    int n = l->pending;
    long until = l->deadline;
    if (n == 0 && until == 0)
        l->idle(l->arg);
    return n;
}

void loop_run(struct loop *l, int turns)
{
    for (l->turns = 0; l->turns < turns; l->turns++) {
        usleep(3000);
        loop_turn(l);
    }
}
