/* Two accounts locked in the order of the call: a transfer each way inverts the order. */
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *pay(void *arg)
{
    (void)arg;
    transfer(&alice, &bob, 10);
    return NULL;
}

static void *refund(void *arg)
{
    (void)arg;
    transfer(&bob, &alice, 10);
    return NULL;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, pay, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, refund, NULL);
    pthread_join(t, NULL);
    return 0;
}
