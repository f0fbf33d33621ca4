/* Calls that the thread library refuses, or should. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_free = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t start_line;
static sem_t tokens;

static void *idle(void *arg)
{
    poll(NULL, 0, 300);
    return arg;
}

static void join_detached(void)
{
    pthread_t t;

    pthread_create(&t, NULL, idle, NULL);
    pthread_detach(t);
    pthread_join(t, NULL);
}

static void empty_barrier(void)
{
    pthread_barrier_init(&start_line, NULL, 0);
}

static void too_many_tokens(void)
{
    sem_init(&tokens, 0, ~0u);
}

static void *waiter(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&pool_lock);
    pthread_cond_wait(&pool_free, &pool_lock);
    pthread_mutex_unlock(&pool_lock);
    return NULL;
}

static void *other_waiter(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&other_lock);
    pthread_cond_wait(&pool_free, &other_lock);
    pthread_mutex_unlock(&other_lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    join_detached();
    empty_barrier();
    too_many_tokens();
    pthread_create(&one, NULL, waiter, NULL);
    pthread_create(&two, NULL, other_waiter, NULL);
    poll(NULL, 0, 200);
    pthread_mutex_lock(&pool_lock);
    pthread_mutex_lock(&other_lock);
    pthread_cond_broadcast(&pool_free);
    pthread_mutex_unlock(&other_lock);
    pthread_mutex_unlock(&pool_lock);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
