/* Shutdown destroys a mutex that is still held. */
#include <pthread.h>

static pthread_mutex_t registry_lock;

static void registry_open(void)
{
    pthread_mutex_init(&registry_lock, NULL);
}

static void registry_begin(void)
{
    pthread_mutex_lock(&registry_lock);
}

static void registry_close(void)
{
    pthread_mutex_destroy(&registry_lock);
}

int main(void)
{
    registry_open();
    registry_begin();
    registry_close();
    return 0;
}
