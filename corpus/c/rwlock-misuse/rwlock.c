/* A reader's lock released twice; a writer that asks to read what it holds for writing. */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t price_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t stock_lock = PTHREAD_RWLOCK_INITIALIZER;

static void price_done(void)
{
    pthread_rwlock_unlock(&price_lock);
}

static int stock_peek(void)
{
    return pthread_rwlock_tryrdlock(&stock_lock);
}

static void stock_update(void)
{
    pthread_rwlock_wrlock(&stock_lock);
    stock_peek();
    pthread_rwlock_unlock(&stock_lock);
}

int main(void)
{
    pthread_rwlock_rdlock(&price_lock);
    price_done();
    price_done();
    stock_update();
    return 0;
}
