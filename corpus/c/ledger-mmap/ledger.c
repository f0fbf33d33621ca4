/* Pages that come from mmap: no allocation that a detector remembers. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

struct page {
    long rows;
    long checksum;
};

static struct page *page_map(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void page_add(struct page *p)
{
    p->rows++;
}

static long page_verify(const struct page *p)
{
    return p->rows;
}

static void *appender(void *arg)
{
    page_add(arg);
    return NULL;
}

static void *verifier(void *arg)
{
    return (void *)page_verify(arg);
}

int main(void)
{
    struct page *p = page_map();
    pthread_t one, two;

    pthread_create(&one, NULL, appender, p);
    pthread_create(&two, NULL, verifier, p);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
