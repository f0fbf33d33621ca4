/* Two bit fields share a byte: setting one rewrites the other. */
#include <pthread.h>

struct flags {
    unsigned dirty : 1;
    unsigned pinned : 1;
    unsigned level : 6;
};

static struct flags page;

static void mark_dirty(struct flags *f)
{
    f->dirty = 1;
}

static void pin(struct flags *f)
{
    f->pinned = 1;
}

static void *flusher(void *arg)
{
    mark_dirty(arg);
    return NULL;
}

static void *evictor(void *arg)
{
    pin(arg);
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, flusher, &page);
    pthread_create(&two, NULL, evictor, &page);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return page.level;
}
