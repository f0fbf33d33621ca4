#include <stdio.h>
#include <unistd.h>

#include "atlas.h"

static struct star catalogue[] = {{"Vega", 0.0, 0}, {"Deneb", 1.2, 0}};
static struct atlas night_sky = {PTHREAD_RWLOCK_INITIALIZER, catalogue, 2, 0};

static void *observer(void *arg)
{
    useconds_t pause = *(const useconds_t *)arg;
    for (int i = 0; i < 3; i++) {
        usleep(pause);
        atlas_find(&night_sky, "Vega");
    }
    usleep(20000);
    return NULL;
}

int main(void)
{
    static const useconds_t pauses[2] = {4000, 6000};
    pthread_t crew[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&crew[i], NULL, observer, (void *)&pauses[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(crew[i], NULL);
    puts("dawn");
    return 0;
}
