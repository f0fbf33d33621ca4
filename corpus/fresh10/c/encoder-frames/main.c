#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "encoder.h"

int main(void)
{
    struct encoder slices[2] = {{0, 40}, {40, 80}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, encoder_run, &slices[i]);
    long shown = 0;
    for (int i = 0; i < 10; i++) {
        usleep(300);
        shown = encoder_frames();
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("progress was shown: %d\n", shown >= 0);
    return 0;
}
