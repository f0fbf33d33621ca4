#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query.h"

int main(void)
{
    struct query *q = calloc(1, sizeof *q);
    if (!q)
        return 1;
    strcpy(q->host, "db.internal");
    pthread_mutex_init(&q->lock, NULL);
    q->delay_us = 20000;
    unsigned address = query_resolve(q, 4000);
    printf("answered in time: %d\n", address != 0);
    while (!query_answered(q))
        usleep(1000);
    return 0;
}
