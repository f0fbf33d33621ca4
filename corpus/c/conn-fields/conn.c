/* Two counters of one connection, both raced for, each by its own pair of functions. */
#include <pthread.h>
#include <stdlib.h>

struct conn {
    int fd;
    long bytes_in;
    long bytes_out;
};

static struct conn *conn_open(int fd)
{
    struct conn *c = calloc(1, sizeof *c);

    c->fd = fd;
    return c;
}

static void on_readable(struct conn *c, long n)
{
    c->bytes_in += n;
}

static void on_writable(struct conn *c, long n)
{
    c->bytes_out += n;
}

static long report_in(const struct conn *c)
{
    return c->bytes_in;
}

static long report_out(const struct conn *c)
{
    return c->bytes_out;
}

static void *event_loop(void *arg)
{
    on_readable(arg, 512);
    on_writable(arg, 128);
    return NULL;
}

static void *monitor(void *arg)
{
    long sum = report_in(arg);

    sum += report_out(arg);
    return (void *)sum;
}

int main(void)
{
    struct conn *c = conn_open(7);
    pthread_t loop, mon;

    pthread_create(&loop, NULL, event_loop, c);
    pthread_create(&mon, NULL, monitor, c);
    pthread_join(loop, NULL);
    pthread_join(mon, NULL);
    free(c);
    return 0;
}
