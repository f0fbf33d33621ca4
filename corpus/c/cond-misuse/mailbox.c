/* A mailbox that signals without its lock and waits with a lock that it does not hold. */
#include <poll.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t box_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t box_filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t box_emptied = PTHREAD_COND_INITIALIZER;
static int letters;

static void box_put(void)
{
    pthread_mutex_lock(&box_lock);
    letters++;
    pthread_mutex_unlock(&box_lock);
    pthread_cond_signal(&box_filled);
}

static void box_take(void)
{
    pthread_mutex_lock(&box_lock);
    while (letters == 0)
        pthread_cond_wait(&box_filled, &box_lock);
    letters--;
    pthread_mutex_unlock(&box_lock);
}

static void box_drain(void)
{
    struct timespec past = {1, 0};

    pthread_cond_timedwait(&box_emptied, &box_lock, &past);
}

static void *taker(void *arg)
{
    (void)arg;
    box_take();
    return NULL;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, taker, NULL);
    poll(NULL, 0, 200);
    box_put();
    pthread_join(t, NULL);
    box_drain();
    return 0;
}
