#include "session.h"

#include <stdio.h>
#include <stdlib.h>

struct session *session_new(const char *peer)
{
    struct session *s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    snprintf(s->peer, sizeof s->peer, "%s", peer);
    return s;
}

void session_get(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    s->refs++;
    pthread_mutex_unlock(&s->lock);
}

void session_put(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    s->refs--;
    pthread_mutex_unlock(&s->lock);
}

int session_idle(const struct session *s)
{
    return s->refs == 0;
}

void session_free(struct session *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s);
}
