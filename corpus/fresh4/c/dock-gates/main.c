#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dock.h"

static void *keeper(void *arg)
{
    struct dock *d = arg;
    for (int i = 0; i < 4; i++) {
        usleep(5000);
        dock_enter(d, 900 + i);
    }
    usleep(20000);
    return NULL;
}

int main(void)
{
    struct dock *north = dock_open("north");
    pthread_t tid;
    long ships, tons;

    pthread_create(&tid, NULL, keeper, north);
    usleep(13000);
    dock_summary(north, &ships, &tons);
    pthread_join(tid, NULL);
    printf("%s\n", ships <= 4 && tons < 9999 ? "fine" : "odd");
    free(north);
    return 0;
}
