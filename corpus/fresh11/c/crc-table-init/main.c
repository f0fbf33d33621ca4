#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "crc.h"

static void *checksum(void *arg)
{
    const char *name = arg;
    uint32_t sum = crc32_of(name, strlen(name));
    return sum ? arg : NULL;
}

int main(void)
{
    char *names[2] = {"part-0001.bin", "part-0002.bin"};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, checksum, names[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("checked");
    return 0;
}
