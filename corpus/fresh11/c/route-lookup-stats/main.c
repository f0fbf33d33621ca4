#include <stdio.h>
#include <unistd.h>

#include "table.h"

static void *forward(void *arg)
{
    for (uint32_t i = 0; i < 10; i++) {
        table_lookup(arg, 0x02000000u + i);
        usleep(100);
    }
    return NULL;
}

int main(void)
{
    struct table *t = table_new(4);
    pthread_t queues[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&queues[i], NULL, forward, t);
    for (int i = 0; i < 2; i++)
        pthread_join(queues[i], NULL);
    printf("%d\n", t->routes[2].packets > 0);
    table_free(t);
    return 0;
}
