#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "blob.h"

static void *dryer(void *arg)
{
    usleep(5000);
    blob_dry(arg);
    usleep(30000);
    return NULL;
}

static pthread_t print_page(long colour)
{
    pthread_t tid;
    struct blob *b = blob_take();
    blob_mix(b, colour, 10 * colour);
    pthread_create(&tid, NULL, dryer, b);
    blob_give(b);
    return tid;
}

int main(void)
{
    pthread_t first, second;
    first = print_page(3);
    usleep(14000);
    second = print_page(5);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    puts("printed");
    return 0;
}
