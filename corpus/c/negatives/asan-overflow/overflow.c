/* A thread writes past a heap block, for AddressSanitizer. */
#include <pthread.h>
#include <stdlib.h>

static void *filler(void *arg)
{
    char *text = arg;

    for (int i = 0; i <= 8; i++)
        text[i] = 'x';
    return NULL;
}

int main(void)
{
    char *text = malloc(8);
    pthread_t t;

    pthread_create(&t, NULL, filler, text);
    pthread_join(t, NULL);
    free(text);
    return 0;
}
