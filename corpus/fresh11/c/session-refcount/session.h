#ifndef SESSION_H
#define SESSION_H
#include <pthread.h>

struct session {
    pthread_mutex_t lock;
    int refs;
    char peer[32];
};

struct session *session_new(const char *peer);
void session_get(struct session *s);
void session_put(struct session *s);
int session_idle(const struct session *s);
void session_free(struct session *s);

#endif
