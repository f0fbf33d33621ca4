#include <stdio.h>
#include <unistd.h>

#include "quote.h"

static struct quote answer = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};

static void show(const struct quote *q)
{
    long price = q->price;
    const char *source = q->source;
    printf("%ld by %s\n", price, source ? source : "nobody");
}

int main(void)
{
    if (quote_ask(&answer, 4) != 0) {
        usleep(25000);
        show(&answer);
    }
    return 0;
}
