/* A plugin keeps using its lock after the host has destroyed it. */
#include <pthread.h>

static pthread_mutex_t plugin_lock = PTHREAD_MUTEX_INITIALIZER;

static void plugin_call(void)
{
    pthread_mutex_lock(&plugin_lock);
    pthread_mutex_unlock(&plugin_lock);
}

static void plugin_unload(void)
{
    pthread_mutex_destroy(&plugin_lock);
}

int main(void)
{
    plugin_call();
    plugin_unload();
    plugin_call();
    return 0;
}
