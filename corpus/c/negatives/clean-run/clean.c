/* The same total as in cart-global, with a lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *till(void *arg)
{
    pthread_mutex_lock(&lock);
    total += *(long *)arg;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    long price = 1299;
    pthread_t one, two;

    pthread_create(&one, NULL, till, &price);
    pthread_create(&two, NULL, till, &price);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("no data race here: total %ld by thread T2\n", total);
    return 0;
}
