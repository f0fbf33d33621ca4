/* Reads all blocks of a volume in the background. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct scrub {
    int volume;
    long blocks;
    int faults;
};

typedef int (*read_fn)(int volume, int block);

static read_fn read_block;

static int read_slowly(int volume, int block)
{
    usleep(5000);
    return (volume + block) % 2;
}

static void scrub_note(struct scrub *s, int fault)
{
    s->blocks++;
    s->faults += fault;
}

static void *scrub_main(void *arg)
{
    struct scrub *s = arg;
    for (int block = 0; block < 4; block++)
        scrub_note(s, read_block(s->volume, block));
    return NULL;
}

static int scrub_start(struct scrub *s)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, scrub_main, s) != 0)
        return -1;
    return pthread_detach(thread);
}

static int scrub_report(const struct scrub *s)
{
    long blocks = s->blocks;
    int faults = s->faults;
    return blocks >= faults;
}

int main(void)
{
    struct scrub *s = calloc(1, sizeof *s);
    read_block = read_slowly;
    s->volume = 7;
    if (scrub_start(s) != 0)
        return 1;
    usleep(12000); /* this long and no longer */
    puts(scrub_report(s) ? "so far, so good" : "odd");
    usleep(30000);
    return 0;
}
