#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "jobs.h"
#include "metrics.h"

int main(void)
{
    static int counts[2] = {10, 12};
    pthread_t workers[2];
    long seen = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, jobs_run, &counts[i]);
    for (int i = 0; i < 4; i++) {
        usleep(1500);
        seen += metrics_finished();
    }
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    printf("%d %ld\n", seen > 0, metrics_failed());
    return 0;
}
