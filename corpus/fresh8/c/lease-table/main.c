#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "leases.h"

static void *expirer(void *arg)
{
    for (long now = 0; now < 8; now++) {
        leases_expire(arg, now);
        usleep(500);
    }
    return NULL;
}

int main(void)
{
    struct leases *l = leases_new();
    pthread_t thread;
    pthread_create(&thread, NULL, expirer, l);
    for (long now = 0; now < 4; now++) {
        usleep(700);
        leases_renew(l, now);
    }
    pthread_join(thread, NULL);
    printf("expired: %d\n", l->expired);
    free(l);
    return 0;
}
