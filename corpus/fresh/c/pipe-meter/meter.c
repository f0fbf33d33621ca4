/* Measures what flows through a pipe. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct meter {
    const char *name;
    long bytes;
};

static struct meter meter = {"pipe", 0};

static void meter_add(long n)
{
    __atomic_fetch_add(&meter.bytes, n, __ATOMIC_RELAXED);
}

static long meter_read(void)
{
    return meter.bytes;
}

static void *pump_main(void *arg)
{
    (void)arg;
    for (int i = 0; i < 5; i++) {
        usleep(3000);
        meter_add(4096);
    }
    return NULL;
}

int main(void)
{
    pthread_t pump;
    pthread_create(&pump, NULL, pump_main, NULL);
    usleep(8000);
    printf("%s: %s\n", meter.name, meter_read() >= 0 ? "flows" : "stuck");
    pthread_join(pump, NULL);
    return 0;
}
