/* A signal handler that changes errno under the feet of whoever it interrupts. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int volatile done;

static void on_child(int signum)
{
    (void)signum;
    errno = ECHILD;
    done = 1;
}

static void *sender(void *arg)
{
    (void)arg;
    kill(getpid(), SIGPROF);
    return NULL;
}

int main(void)
{
    struct sigaction act;
    pthread_t t;

    memset(&act, 0, sizeof act);
    act.sa_handler = on_child;
    sigaction(SIGPROF, &act, NULL);
    pthread_create(&t, NULL, sender, NULL);
    pthread_join(t, NULL);
    while (!done)
        sched_yield();
    return 0;
}
