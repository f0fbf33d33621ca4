/* A ring without locks, for one producer and one consumer. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define SLOTS 16

static struct {
    unsigned head;
    unsigned tail;
    int slots[SLOTS];
} ring;

static void ring_put(int value)
{
    unsigned at = __atomic_load_n(&ring.head, __ATOMIC_RELAXED);
    ring.slots[at % SLOTS] = value;
    ring.head = at + 1;
}

static int ring_depth(void)
{
    return (int)(__atomic_load_n(&ring.head, __ATOMIC_RELAXED) - ring.tail);
}

static int ring_peek(void)
{
    return ring.slots[ring.tail % SLOTS];
}

static void *producer_main(void *arg)
{
    int base = *(int *)arg;
    usleep((unsigned)base * 3000u);
    ring_put(base);
    return NULL;
}

static void *consumer_main(void *arg)
{
    (void)arg;
    usleep(12000);
    if (ring_depth() > 0 && ring_peek() < 0)
        puts("odd");
    return NULL;
}

int main(void)
{
    static int bases[] = {1, 2};
    pthread_t threads[3];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, producer_main, &bases[i]);
    pthread_create(&threads[2], NULL, consumer_main, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    puts("drained");
    return 0;
}
