/* Named threads; the second stage is started by the first, so its creator is not the main thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>

static long written;
static sem_t finish;

static void *compactor(void *arg)
{
    (void)arg;
    pthread_setname_np(pthread_self(), "compactor: low");
    written -= 10;
    sem_wait(&finish);
    return NULL;
}

static void *ingest(void *arg)
{
    pthread_t *stage = arg;

    pthread_setname_np(pthread_self(), "ingest/0");
    pthread_create(stage, NULL, compactor, NULL);
    written += 100;
    sem_wait(&finish);
    return NULL;
}

int main(void)
{
    pthread_t first, stage;

    sem_init(&finish, 0, 0);
    pthread_create(&first, NULL, ingest, &stage);
    pthread_setname_np(pthread_self(), "shopd");
    sem_post(&finish);
    sem_post(&finish);
    pthread_join(first, NULL);
    pthread_join(stage, NULL);
    return 0;
}
