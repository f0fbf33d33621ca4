/* The racing access is within a library function: memcpy on one side, strlen on the other. */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct frame {
    char caption[64];
};

static struct frame *frame_new(void)
{
    return calloc(1, sizeof(struct frame));
}

static void frame_fill(struct frame *f, const char *text, size_t len)
{
    memcpy(f->caption, text, len);
}

static size_t frame_width(const struct frame *f)
{
    return strlen(f->caption);
}

static void *decoder(void *arg)
{
    frame_fill(arg, "hi", 3);
    return NULL;
}

static void *renderer(void *arg)
{
    poll(NULL, 0, 100);
    return (void *)frame_width(arg);
}

int main(void)
{
    struct frame *f = frame_new();
    pthread_t one, two;

    pthread_create(&one, NULL, decoder, f);
    pthread_create(&two, NULL, renderer, f);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free(f);
    return 0;
}
