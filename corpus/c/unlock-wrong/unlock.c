/* A mutex unlocked by a thread that does not hold it, and one that nobody holds. */
#include <poll.h>
#include <pthread.h>

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;

static void queue_release(void)
{
    pthread_mutex_unlock(&queue_lock);
}

static void idle_release(void)
{
    pthread_mutex_unlock(&idle_lock);
}

static void *helper(void *arg)
{
    (void)arg;
    queue_release();
    return NULL;
}

int main(void)
{
    pthread_t t;

    pthread_mutex_lock(&queue_lock);
    pthread_create(&t, NULL, helper, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&idle_lock);
    pthread_mutex_unlock(&idle_lock);
    idle_release();
    return 0;
}
