/* A thread publishes the address of its own thread-local variable; another writes through it. */
#include <pthread.h>
#include <semaphore.h>

static __thread int depth;
static int *published;
static sem_t ready, done;

static void session_enter(void)
{
    depth++;
}

static void session_reset(int *slot)
{
    *slot = 0;
}

static void *session(void *arg)
{
    (void)arg;
    published = &depth;
    sem_post(&ready);
    session_enter();
    sem_wait(&done);
    return NULL;
}

static void *supervisor(void *arg)
{
    (void)arg;
    sem_wait(&ready);
    session_reset(published);
    sem_post(&done);
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&one, NULL, session, NULL);
    pthread_create(&two, NULL, supervisor, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
