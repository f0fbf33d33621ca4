/* Six counters raced for in one run, with the program's own log lines in between. */
#include <pthread.h>
#include <stdio.h>

static long requests, errors_seen, retries;
static struct {
    long open;
    long closed;
    long peak;
} sockets;

static void count_request(void)
{
    requests++;
}

static void count_error(void)
{
    errors_seen++;
}

static void count_retry(void)
{
    retries++;
}

static void count_sockets(void)
{
    sockets.open++;
    sockets.closed++;
    sockets.peak = sockets.open;
}

static void *server(void *arg)
{
    (void)arg;
    count_request();
    fprintf(stderr, "I0412 10:31:02.118203 server.c:88] request served\n");
    count_error();
    count_retry();
    fprintf(stderr, "W0412 10:31:02.118417 server.c:91] retrying\n");
    count_sockets();
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, server, NULL);
    pthread_create(&two, NULL, server, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    fprintf(stderr, "requests=%ld errors=%ld retries=%ld\n", requests, errors_seen, retries);
    return 0;
}
