#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "control.h"
#include "trace.h"

struct worker {
    const char *name;
    int written;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    for (int i = 0; i < 8; i++) {
        w->written += trace(TRACE_DEBUG, w->name);
        w->written += trace(TRACE_INFO, "step");
        usleep(800);
    }
    return NULL;
}

int main(void)
{
    static int levels[] = {TRACE_DEBUG, TRACE_ERROR, TRACE_INFO, -1};
    struct worker w = {"indexer", 0};
    pthread_t control, worker;

    pthread_create(&worker, NULL, work, &w);
    pthread_create(&control, NULL, control_run, levels);
    pthread_join(worker, NULL);
    pthread_join(control, NULL);
    printf("written: %d\n", w.written > 0);
    return 0;
}
