#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "plant.h"

static void *control(void *arg)
{
    for (int i = 0; i < 20; i++) {
        plant_step(i % 9);
        usleep(200);
    }
    return arg;
}

int main(void)
{
    pthread_t loop;
    pthread_create(&loop, NULL, control, NULL);
    int highest = 0;
    for (int i = 0; i < 8; i++) {
        int now = plant_pressure();
        if (now > highest)
            highest = now;
        usleep(500);
    }
    pthread_join(loop, NULL);
    printf("%d\n", highest >= 0);
    return 0;
}
