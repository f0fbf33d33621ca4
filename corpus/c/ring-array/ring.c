/* A ring without a lock: the producer fills slots that the consumer drains, and both move the count. */
#include <pthread.h>

#define SLOTS 8

static int ring[SLOTS];
static int used;

static void ring_push(int slot, int value)
{
    ring[slot] = value;
}

static int ring_pop(int slot)
{
    return ring[slot];
}

static void *producer(void *arg)
{
    (void)arg;
    ring_push(3, 42);
    used++;
    return NULL;
}

static void *consumer(void *arg)
{
    int value = ring_pop(3);

    (void)arg;
    used--;
    return (void *)(long)value;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, producer, NULL);
    pthread_create(&two, NULL, consumer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
