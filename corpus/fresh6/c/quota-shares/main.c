#include <stdio.h>
#include <unistd.h>

#include "limiter.h"

struct tenant {
    const char *name;
    struct limiter limiter;
    int passed;
};

static void *requests(void *arg)
{
    struct tenant *t = arg;
    for (int i = 0; i < 4; i++) {
        t->passed += limiter_take(&t->limiter, 2);
        usleep(1500);
    }
    usleep(10000);
    return NULL;
}

int main(void)
{
    struct limiter shared = limiter_make(100);
    struct tenant tenants[2] = {{"acme", shared, 0}, {"globex", shared, 0}};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, requests, &tenants[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("passed: %d\n", tenants[0].passed + tenants[1].passed);
    return 0;
}
