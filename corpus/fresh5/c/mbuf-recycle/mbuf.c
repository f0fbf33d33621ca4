#include "mbuf.h"

#include <pthread.h>
#include <stddef.h>

static struct mbuf pool[2];
static struct mbuf *freelist;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void mbuf_setup(void)
{
    for (int i = 0; i < 2; i++)
        mbuf_put(&pool[i]);
}

struct mbuf *mbuf_get(long len)
{
    pthread_mutex_lock(&lock);
    struct mbuf *m = freelist;
    if (m != NULL)
        freelist = m->next;
    pthread_mutex_unlock(&lock);
    if (m != NULL)
        m->len = len;
    return m;
}

void mbuf_put(struct mbuf *m)
{
    pthread_mutex_lock(&lock);
    m->next = freelist;
    freelist = m;
    pthread_mutex_unlock(&lock);
}

long mbuf_sniff(const struct mbuf *m)
{
    return m->len;
}
