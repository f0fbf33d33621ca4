#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "modem.h"

static void *line(void *arg)
{
    for (int i = 0; i < 5; i++) {
        usleep(4000);
        modem_frame(arg, 64, 8);
    }
    usleep(20000);
    return NULL;
}

int main(void)
{
    struct modem *m = modem_open("/dev/ttyUSB0");
    struct modem_status now;
    pthread_t tid;

    pthread_create(&tid, NULL, line, m);
    usleep(14000);
    modem_status(m, &now);
    pthread_join(tid, NULL);
    printf("%s\n", now.received >= now.sent ? "ok" : "odd");
    modem_close(m);
    return 0;
}
