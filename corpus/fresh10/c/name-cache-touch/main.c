#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "names.h"

static void *lookups(void *arg)
{
    long base = *(long *)arg;
    for (int i = 0; i < 20; i++) {
        names_get(3, base + i);
        usleep(50);
    }
    return NULL;
}

int main(void)
{
    names_put(3, "printer");
    long bases[2] = {100, 200};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, lookups, &bases[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("expired: %d\n", names_expire(10));
    return 0;
}
