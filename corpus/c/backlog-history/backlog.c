/* The writer does so much after its write that the detector forgets where the write was. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>

static int backlog;
static volatile int spin;
static sem_t release;

static void enqueue(void)
{
    backlog = 17;
}

__attribute__((noinline)) static void churn_once(int i)
{
    spin = i;
}

static void *producer(void *arg)
{
    (void)arg;
    enqueue();
    for (int i = 0; i < 3000000; i++)
        churn_once(i);
    sem_wait(&release);
    return NULL;
}

static void *consumer(void *arg)
{
    (void)arg;
    return (void *)(long)backlog;
}

int main(void)
{
    pthread_t one, two;

    sem_init(&release, 0, 0);
    pthread_create(&one, NULL, producer, NULL);
    poll(NULL, 0, 900);
    pthread_create(&two, NULL, consumer, NULL);
    pthread_join(two, NULL);
    sem_post(&release);
    pthread_join(one, NULL);
    return 0;
}
