/* An assertion that speaks of a race. */
#include <assert.h>
#include <pthread.h>

static int owner = 2;

static void *worker(void *arg)
{
    assert(owner == 1 && "data race: written by thread T1");
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
