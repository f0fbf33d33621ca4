#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "loop.h"

static struct loop main_loop;

static void nothing(void *arg)
{
    (void)arg;
}

static void *client_main(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 3; i++) {
        usleep(4000);
        loop_post(&main_loop, 100L * i);
    }
    return NULL;
}

int main(void)
{
    pthread_t client;
    loop_init(&main_loop, nothing, NULL);
    pthread_create(&client, NULL, client_main, NULL);
    loop_run(&main_loop, 5);
    pthread_join(client, NULL);
    puts("done");
    return 0;
}
