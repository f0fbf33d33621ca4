/* A session is freed with its lock held. */
#include <pthread.h>
#include <stdlib.h>

struct session {
    int id;
    pthread_mutex_t lock;
};

static struct session *session_open(int id)
{
    struct session *s = malloc(sizeof *s);

    s->id = id;
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void session_close(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    free(s);
}

int main(void)
{
    session_close(session_open(5));
    return 0;
}
