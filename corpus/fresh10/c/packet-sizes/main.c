#include <pthread.h>
#include <stdio.h>

#include "capture.h"

int main(void)
{
    struct histogram *h = histogram_new("eth0");
    struct capture queues[2] = {{h, 1}, {h, 2}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, capture_run, &queues[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("captured on %s\n", h->interface);
    histogram_free(h);
    return 0;
}
