#include <stdio.h>
#include <unistd.h>

#include "fs.h"

static void *writer(void *arg)
{
    struct group *g = arg;
    for (int i = 0; i < 5; i++) {
        block_alloc(g, 4);
        usleep(1500);
    }
    usleep(10000);
    return NULL;
}

int main(void)
{
    struct group *g = fs_groups(1000);
    pthread_t t[GROUPS];
    for (int i = 0; i < GROUPS; i++)
        pthread_create(&t[i], NULL, writer, &g[i]);
    for (int i = 0; i < GROUPS; i++)
        pthread_join(t[i], NULL);
    puts("written");
    return 0;
}
