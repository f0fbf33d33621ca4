#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "mime.h"

static void *client(void *arg)
{
    const char *path = arg;
    for (int i = 0; i < 3; i++) {
        mime_of(path);
        usleep(2000);
    }
    usleep(10000);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, client, "/index.html");
    pthread_create(&b, NULL, client, "/logo.png");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("done");
    return 0;
}
