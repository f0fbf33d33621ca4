#include <stdio.h>
#include <unistd.h>

#include "frames.h"

#define COUNT 6

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct frame *queue[COUNT];
static int queued;

static void submit(struct frame *f)
{
    pthread_mutex_lock(&queue_lock);
    queue[queued++] = f;
    pthread_mutex_unlock(&queue_lock);
}

static struct frame *next_frame(int i)
{
    pthread_mutex_lock(&queue_lock);
    struct frame *f = i < queued ? queue[i] : NULL;
    pthread_mutex_unlock(&queue_lock);
    return f;
}

static long parse(struct frame *f)
{
    usleep(3000);
    return f->len;
}

static void *parser(void *arg)
{
    long *total = arg;
    for (int i = 0; i < COUNT;) {
        struct frame *f = next_frame(i);
        if (f) {
            *total += parse(f);
            i++;
        } else {
            usleep(200);
        }
    }
    return NULL;
}

static void receive(struct frame *f, int n)
{
    f->len = 8 + n;
    f->data[0] = 'G';
}

int main(void)
{
    long total = 0;
    pthread_t t;
    pthread_create(&t, NULL, parser, &total);
    for (int i = 0; i < COUNT; i++) {
        struct frame *f = frame_get();
        receive(f, i);
        submit(f);
        frame_put(f);
        usleep(2000);
    }
    pthread_join(t, NULL);
    printf("parsed: %d\n", total > 0);
    return 0;
}
