/* A routing table that is read by every worker and written by nobody but the control thread. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

struct route {
    uint32_t prefix;
    uint32_t mask;
    int gateway;
    unsigned hits;
};

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct route routes[] = {
    {0x0a000000, 0xff000000, 1, 0},
    {0xc0a80000, 0xffff0000, 2, 0},
    {0x00000000, 0x00000000, 9, 0},
};

static int route_lookup(uint32_t address)
{
    int gateway = -1;
    pthread_rwlock_rdlock(&table_lock);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if ((address & routes[i].mask) == routes[i].prefix) {
            routes[i].hits++;
            gateway = routes[i].gateway;
            break;
        }
    }
    pthread_rwlock_unlock(&table_lock);
    return gateway;
}

static void *worker_main(void *arg)
{
    uint32_t host = (uint32_t)(uintptr_t)arg;
    for (int i = 0; i < 4; i++) {
        usleep(3000);
        if (route_lookup(0x0a000000u | host) != 1)
            puts("no route");
    }
    return NULL;
}

int main(void)
{
    pthread_t workers[2];
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, worker_main, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    puts("done");
    return 0;
}
