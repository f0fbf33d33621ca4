/* Collects lines and has a thread that writes them to a sink. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*sink_fn)(int line);

struct spool {
    pthread_t flusher;
    sink_fn sink;
    int rounds;
    long written;
};

static int to_nowhere(int line)
{
    usleep(1000);
    return line >= 0;
}

static int flush_one(struct spool *s, int line)
{
    sink_fn sink = s->sink;
    return sink != NULL ? sink(line) : 0;
}

static void *flusher_main(void *arg)
{
    struct spool *s = arg;
    for (int line = 0; line < s->rounds; line++) {
        usleep(3000);
        s->written += flush_one(s, line);
    }
    return NULL;
}

static struct spool *spool_open(sink_fn sink, int rounds)
{
    struct spool *s = calloc(1, sizeof *s);
    if (s == NULL)
        abort();
    s->sink = sink;
    s->rounds = rounds;
    pthread_create(&s->flusher, NULL, flusher_main, s);
    return s;
}

static long spool_close(struct spool *s)
{
    s->sink = NULL;
    pthread_join(s->flusher, NULL);
    long written = s->written;
    free(s);
    return written;
}

int main(void)
{
    struct spool *s = spool_open(to_nowhere, 6);
    usleep(12000);
    printf("%s\n", spool_close(s) > 0 ? "written" : "nothing");
    return 0;
}
