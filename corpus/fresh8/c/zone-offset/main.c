#include <pthread.h>
#include <stdio.h>

#include "zone.h"

static void *clock_thread(void *arg)
{
    char text[16];
    long *seconds = arg;
    *seconds += format_time(*seconds, text, sizeof(text));
    return NULL;
}

int main(void)
{
    long seconds[2] = {1000, 2000};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, clock_thread, &seconds[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("formatted: %d\n", seconds[0] > 0);
    return 0;
}
