#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tls.h"

static void *connection(void *arg)
{
    int fd = (int)(intptr_t)arg;
    tls_handshake(fd);
    usleep(15000);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, connection, (void *)3);
    pthread_create(&b, NULL, connection, (void *)4);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("connected");
    return 0;
}
