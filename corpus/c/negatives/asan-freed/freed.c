/* A read after free by another thread, for AddressSanitizer: its heap-use-after-free is no race report. */
#include <pthread.h>
#include <stdlib.h>

static void *reader(void *arg)
{
    return (void *)(long)*(volatile int *)arg;
}

int main(void)
{
    int *row = malloc(16);
    pthread_t t;

    free(row);
    pthread_create(&t, NULL, reader, row);
    pthread_join(t, NULL);
    return 0;
}
