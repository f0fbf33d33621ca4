/* Buffers that are shared until the last reference is gone. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct buffer {
    int refs;
    size_t size;
    char bytes[48];
};

static struct buffer *header;
static struct buffer *body;

static struct buffer *buffer_new(size_t size)
{
    struct buffer *b = calloc(1, sizeof *b);
    b->refs = 1;
    b->size = size;
    return b;
}

static void buffer_hold(struct buffer *b)
{
    b->refs++;
}

static void send_header(void)
{
    usleep(3000);
    buffer_hold(header);
}

static void send_body(void)
{
    usleep(3000);
    buffer_hold(body);
}

static void *sender_main(void *arg)
{
    (void)arg;
    send_header();
    send_body();
    return NULL;
}

int main(void)
{
    pthread_t senders[2];
    header = buffer_new(16);
    body = buffer_new(48);
    for (int i = 0; i < 2; i++)
        pthread_create(&senders[i], NULL, sender_main, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(senders[i], NULL);
    printf("%s\n", header->refs + body->refs > 2 ? "shared" : "alone");
    free(header);
    free(body);
    return 0;
}
