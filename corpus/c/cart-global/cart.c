/* A running total that two tills add to. */
#include <pthread.h>
#include <stdio.h>

static long cart_total;

static void cart_add(long price)
{
    cart_total += price;
}

static long cart_sum(void)
{
    return cart_total;
}

static void *till(void *arg)
{
    cart_add(*(long *)arg);
    return NULL;
}

static void *printer(void *arg)
{
    *(long *)arg = cart_sum();
    return NULL;
}

int main(void)
{
    long price = 1299, seen = 0;
    pthread_t one, two;

    pthread_create(&one, NULL, till, &price);
    pthread_create(&two, NULL, printer, &seen);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("done %d\n", seen >= 0);
    return 0;
}
