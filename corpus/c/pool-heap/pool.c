/* One helper that counts, called for two objects of the same type: two races through one line. */
#include <pthread.h>
#include <stdlib.h>

struct gauge {
    long value;
    char name[24];
};

static struct gauge *active, *idle;

static struct gauge *gauge_new(void)
{
    return calloc(1, sizeof(struct gauge));
}

static void gauge_inc(struct gauge *g)
{
    g->value++;
}

static void checkout(void)
{
    gauge_inc(active);
}

static void checkin(void)
{
    gauge_inc(idle);
}

static void *worker(void *arg)
{
    (void)arg;
    checkout();
    checkin();
    return NULL;
}

int main(void)
{
    pthread_t workers[2];

    active = gauge_new();
    idle = gauge_new();
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    free(active);
    free(idle);
    return 0;
}
