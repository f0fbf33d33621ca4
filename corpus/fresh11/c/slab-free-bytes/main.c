#include <stdio.h>
#include <unistd.h>

#include "arena.h"

static void *allocate(void *arg)
{
    for (int i = 0; i < 10; i++) {
        arena_take();
        usleep(100);
    }
    return arg;
}

static void *trim(void *arg)
{
    for (int i = 0; i < 5; i++) {
        arena_trim(4096);
        usleep(200);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, allocate, NULL);
    pthread_create(&b, NULL, trim, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", arena.free_bytes > 0);
    return 0;
}
