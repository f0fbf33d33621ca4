/* The owner frees a buffer while a late reader still has it. */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    size_t len;
    char data[56];
};

static struct buffer *buffer_new(const char *text)
{
    struct buffer *b = malloc(sizeof *b);

    strcpy(b->data, text);
    b->len = strlen(text);
    return b;
}

static void buffer_free(struct buffer *b)
{
    free(b);
}

static size_t buffer_len(const struct buffer *b)
{
    return b->len;
}

static void *reader(void *arg)
{
    poll(NULL, 0, 100);
    return (void *)buffer_len(arg);
}

int main(void)
{
    struct buffer *b = buffer_new("order 17");
    pthread_t t;

    pthread_create(&t, NULL, reader, b);
    buffer_free(b);
    pthread_join(t, NULL);
    return 0;
}
