/* A worker returns early and takes its lock with it. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;

static int journal_append(int full)
{
    pthread_mutex_lock(&journal_lock);
    if (full)
        return -1;
    pthread_mutex_unlock(&journal_lock);
    return 0;
}

static void *worker(void *arg)
{
    (void)arg;
    return (void *)(long)journal_append(1);
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
