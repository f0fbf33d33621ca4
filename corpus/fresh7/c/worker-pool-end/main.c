#include <stdio.h>
#include <unistd.h>

#include "pool.h"

static int resize(void *arg, int item)
{
    int *width = arg;
    return *width > item;
}

int main(void)
{
    int width = 640;
    struct pool *pool = pool_open(resize, &width);
    usleep(3000);
    pool_close(pool);
    printf("done: %d\n", pool_join(pool) >= 0);
    return 0;
}
