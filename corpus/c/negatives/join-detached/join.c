/* Joins a detached thread, which kills ThreadSanitizer's runtime. */
#include <poll.h>
#include <pthread.h>

static void *idle(void *arg)
{
    poll(NULL, 0, 200);
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, idle, NULL);
    pthread_detach(t);
    pthread_join(t, NULL);
    return 0;
}
