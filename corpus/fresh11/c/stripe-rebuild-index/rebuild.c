#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define STRIPES 3

static int rebuilt[STRIPES + 1];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void rebuild(int stripe)
{
    pthread_mutex_lock(&lock);
    rebuilt[stripe]++;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    int stripe = *(int *)arg;
    rebuild(stripe);
    return NULL;
}

int main(void)
{
    pthread_t threads[STRIPES];
    int i;
    for (i = 0; i < STRIPES; i++) {
        if (pthread_create(&threads[i], NULL, worker, &i))
            return 1;
        usleep(300);
    }
    for (int t = 0; t < STRIPES; t++)
        pthread_join(threads[t], NULL);
    int total = 0;
    for (int t = 0; t <= STRIPES; t++)
        total += rebuilt[t];
    printf("%d stripes\n", total);
    return 0;
}
