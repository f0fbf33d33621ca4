/* Two functions, each with a static of the same name: one line apart in a report, two variables. */
#include <pthread.h>

static long next_order_id(void)
{
    static long last;

    return ++last;
}

static long next_invoice_id(void)
{
    static long last;

    return ++last;
}

static void *clerk(void *arg)
{
    (void)arg;
    return (void *)(next_order_id() + next_invoice_id());
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, clerk, NULL);
    pthread_create(&two, NULL, clerk, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
