#include <pthread.h>
#include <stdio.h>

#include "locale.h"

static void *format_dates(void *arg)
{
    long *formatted = arg;
    for (int day = 0; day < 3; day++)
        *formatted += months() != NULL;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    long formatted[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, format_dates, &formatted[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("formatted: %ld\n", formatted[0] + formatted[1]);
    return 0;
}
