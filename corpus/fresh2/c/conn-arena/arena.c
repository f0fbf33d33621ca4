/* Connections come from an arena and go back to it. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct conn {
    int state;
    long bytes;
    struct conn *next;
};

static struct conn arena[4];
static struct conn *unused;
static pthread_mutex_t arena_lock = PTHREAD_MUTEX_INITIALIZER;

static struct conn *arena_take(void)
{
    pthread_mutex_lock(&arena_lock);
    struct conn *c = unused;
    unused = c->next;
    pthread_mutex_unlock(&arena_lock);
    return c;
}

static void arena_give(struct conn *c)
{
    pthread_mutex_lock(&arena_lock);
    c->next = unused;
    unused = c;
    pthread_mutex_unlock(&arena_lock);
}

static void conn_open(struct conn *c, long bytes)
{
    c->state = 1;
    c->bytes = bytes;
}

static int conn_idle(const struct conn *c)
{
    int state = c->state;
    long bytes = c->bytes;
    return state == 0 && bytes == 0;
}

static void *logger_main(void *arg)
{
    usleep(12000);
    if (conn_idle(arg))
        puts("idle");
    return NULL;
}

int main(void)
{
    pthread_t logger;
    for (int i = 3; i >= 0; i--)
        arena_give(&arena[i]);
    struct conn *first = arena_take();
    conn_open(first, 10);
    pthread_create(&logger, NULL, logger_main, first);
    arena_give(first);
    usleep(4000);
    struct conn *second = arena_take();
    conn_open(second, 20);
    pthread_join(logger, NULL);
    puts(first == second ? "reused" : "new");
    return 0;
}
