#include <stdio.h>
#include <unistd.h>

#include "session.h"

static void *serve(void *arg)
{
    struct session *s = arg;
    for (int i = 0; i < 10; i++) {
        session_get(s);
        usleep(100);
        session_put(s);
    }
    return NULL;
}

int main(void)
{
    struct session *s = session_new("198.51.100.7");
    pthread_t server;
    pthread_create(&server, NULL, serve, s);
    int idle = 0;
    for (int i = 0; i < 5; i++) {
        idle += session_idle(s);
        usleep(300);
    }
    pthread_join(server, NULL);
    printf("%d\n", idle >= 0);
    session_free(s);
    return 0;
}
