#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "loom.h"

static void *weave(void *arg)
{
    for (int i = 0; i < 5; i++) {
        usleep(4000);
        loom_pick(arg);
    }
    usleep(20000);
    return NULL;
}

int main(void)
{
    struct loom *l = calloc(1, sizeof *l);
    pthread_t tid;
    l->name = "jenny";
    pthread_create(&tid, NULL, weave, l);
    usleep(14000);
    loom_new_day(l, 2);
    pthread_join(tid, NULL);
    puts("woven");
    free(l);
    return 0;
}
