#include "oven.h"

#include <pthread.h>
#include <unistd.h>

static void *bake(void *arg)
{
    usleep(2000);
    int tray = *(int *)arg;
    usleep(20000 + tray);
    return NULL;
}

void ovens_heat(int trays)
{
    pthread_t ovens[8];
    int tray;

    for (tray = 0; tray < trays; tray++) {
        pthread_create(&ovens[tray], NULL, bake, &tray);
        usleep(5000);
    }
    for (int i = 0; i < trays; i++)
        pthread_join(ovens[i], NULL);
}
