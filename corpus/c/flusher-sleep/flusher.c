/* A detached flusher is given half a tenth of a second to finish, which is a hope and no order. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int pending = 1;

static void flush_all(void)
{
    pending = 0;
}

static void *flusher(void *arg)
{
    (void)arg;
    flush_all();
    return NULL;
}

static int wait_for_flush(void)
{
    usleep(50000);
    return pending;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t t;

    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, flusher, NULL);
    printf("pending: %d\n", wait_for_flush());
    return 0;
}
