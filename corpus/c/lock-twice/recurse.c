/* A spin lock taken again by its holder, and a checking mutex taken twice. */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t tree_lock;

static void tree_rebalance(void)
{
    pthread_mutex_lock(&tree_lock);
}

static void tree_insert(void)
{
    pthread_mutex_lock(&tree_lock);
    tree_rebalance();
    pthread_mutex_unlock(&tree_lock);
}

int main(void)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&tree_lock, &attr);
    tree_insert();
    return 0;
}
