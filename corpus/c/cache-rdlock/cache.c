/* A lookup counts its hits while it holds the lock for reading only. */
#include <pthread.h>

static pthread_rwlock_t cache_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;
static int entries = 4;

static int cache_lookup(int key)
{
    int found;

    pthread_rwlock_rdlock(&cache_lock);
    found = key < entries;
    hits++;
    pthread_rwlock_unlock(&cache_lock);
    return found;
}

static void *reader(void *arg)
{
    (void)arg;
    return (void *)(long)cache_lookup(1);
}

static void *logging_reader(void *arg)
{
    long found;

    (void)arg;
    pthread_mutex_lock(&log_lock);
    found = cache_lookup(2);
    pthread_mutex_unlock(&log_lock);
    return (void *)found;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, reader, NULL);
    pthread_create(&two, NULL, logging_reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
