/* A server that forks: parent and child each have threads of their own, and each races. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int served;

static void serve(void)
{
    served++;
}

static void *worker(void *arg)
{
    (void)arg;
    serve();
    return NULL;
}

static void run_workers(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

int main(void)
{
    pid_t child = fork();

    if (child == 0) {
        run_workers();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    run_workers();
    return 0;
}
