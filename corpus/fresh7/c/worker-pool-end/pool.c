#include "pool.h"

#include <stdlib.h>
#include <unistd.h>

static int step(struct pool *pool, int item)
{
    task_fn handler = pool->handler;
    void *arg = pool->arg;
    if (!handler || !arg)
        return 0;
    return handler(arg, item);
}

static void *run(void *arg)
{
    struct pool *pool = arg;
    for (int item = 0; item < 20; item++) {
        pool->done += step(pool, item);
        usleep(500);
    }
    return NULL;
}

struct pool *pool_open(task_fn handler, void *arg)
{
    struct pool *pool = calloc(1, sizeof(*pool));
    pool->handler = handler;
    pool->arg = arg;
    pthread_create(&pool->thread, NULL, run, pool);
    return pool;
}

void pool_close(struct pool *pool)
{
    pool->handler = NULL;
    pool->arg = NULL;
}

int pool_join(struct pool *pool)
{
    pthread_join(pool->thread, NULL);
    int done = pool->done;
    free(pool);
    return done;
}
