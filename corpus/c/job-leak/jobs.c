/* Jobs that nobody joins or detaches. */
#include <poll.h>
#include <pthread.h>

static void *job(void *arg)
{
    return arg;
}

static void submit(void *arg)
{
    pthread_t t;

    pthread_create(&t, NULL, job, arg);
}

int main(void)
{
    submit(NULL);
    submit(NULL);
    poll(NULL, 0, 100);
    return 0;
}
