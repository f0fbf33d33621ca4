/* A handler lends a variable of its own stack to a helper thread and goes on using it. */
#include <pthread.h>

struct request {
    int status;
    int retries;
};

static void *backend(void *arg)
{
    struct request *req = arg;

    req->status = 200;
    return NULL;
}

static int poll_status(const struct request *req)
{
    return req->status;
}

static int handle(void)
{
    struct request req = {0, 3};
    pthread_t helper;
    int early;

    pthread_create(&helper, NULL, backend, &req);
    early = poll_status(&req);
    pthread_join(helper, NULL);
    return early;
}

static void *acceptor(void *arg)
{
    (void)arg;
    return (void *)(long)handle();
}

int main(void)
{
    pthread_t t;

    handle();
    pthread_create(&t, NULL, acceptor, NULL);
    pthread_join(t, NULL);
    return 0;
}
