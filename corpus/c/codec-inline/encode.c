/* The reader's side: two threads of it, and one that tunes. */
#include <pthread.h>
#include <stdlib.h>

#include "codec.h"

static struct codec *shared;

static int encode(const struct codec *c)
{
    return codec_level(c) * 3;
}

static void *encoder(void *arg)
{
    (void)arg;
    return (void *)(long)encode(shared);
}

static void *tuner(void *arg)
{
    (void)arg;
    tune(shared, 11);
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    shared = calloc(1, sizeof *shared);
    pthread_create(&one, NULL, encoder, NULL);
    pthread_create(&two, NULL, tuner, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free(shared);
    return 0;
}
