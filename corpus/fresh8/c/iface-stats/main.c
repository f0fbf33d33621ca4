#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "iface.h"

static void *receive(void *arg)
{
    for (int i = 0; i < 10; i++) {
        iface_receive(arg, 3);
        usleep(500);
    }
    return NULL;
}

int main(void)
{
    char line[32];
    int length = 0;
    struct iface *ifc = iface_new("eth0");
    pthread_t thread;
    pthread_create(&thread, NULL, receive, ifc);
    for (int i = 0; i < 3; i++) {
        usleep(1500);
        length = iface_dump(ifc, line, sizeof(line));
    }
    pthread_join(thread, NULL);
    printf("dumped: %d\n", length > 0);
    pthread_mutex_destroy(&ifc->lock);
    free(ifc);
    return 0;
}
