/* A null pointer in a thread: ThreadSanitizer prints the crash, which is no race. */
#include <pthread.h>
#include <stddef.h>

static int *volatile nothing;

static void *worker(void *arg)
{
    *nothing = 1;
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
