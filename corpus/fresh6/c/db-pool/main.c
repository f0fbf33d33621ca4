#include <stdio.h>
#include <unistd.h>

#include "pool.h"

static void query(struct pool *p, int rows)
{
    struct conn *c = pool_take(p);
    usleep(500 + rows);
    pool_give(p, c);
}

static void *worker(void *arg)
{
    struct pool *p = arg;
    for (int i = 0; i < 4; i++)
        query(p, i * 10);
    usleep(10000);
    return NULL;
}

int main(void)
{
    struct pool *p = pool_open(2);
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, p);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    pool_close(p);
    puts("served");
    return 0;
}
