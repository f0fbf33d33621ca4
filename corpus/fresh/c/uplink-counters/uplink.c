/* Carries frames to the head office and says every now and then how it goes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct uplink {
    pthread_mutex_t lock;
    long frames;
    long drops;
};

static struct uplink *uplink_open(void)
{
    struct uplink *u = calloc(1, sizeof *u);
    if (u == NULL)
        abort();
    pthread_mutex_init(&u->lock, NULL);
    return u;
}

static int transmit(int number)
{
    usleep(4000);
    return number % 3 != 0;
}

static void count_frame(struct uplink *u)
{
    pthread_mutex_lock(&u->lock);
    u->frames++;
    pthread_mutex_unlock(&u->lock);
}

static void count_drop(struct uplink *u)
{
    pthread_mutex_lock(&u->lock);
    u->drops++;
    pthread_mutex_unlock(&u->lock);
}

static void *link_main(void *arg)
{
    struct uplink *u = arg;
    for (int number = 0; number < 9; number++) {
        if (transmit(number))
            count_frame(u);
        else
            count_drop(u);
    }
    return NULL;
}

static double loss(struct uplink *u)
{
    long frames = u->frames;
    long drops = u->drops;
    return frames + drops ? (double)drops / (double)(frames + drops) : 0;
}

int main(void)
{
    struct uplink *u = uplink_open();
    pthread_t link;
    pthread_create(&link, NULL, link_main, u);
    usleep(18000);
    printf("loss: %.2f\n", loss(u));
    pthread_join(link, NULL);
    pthread_mutex_destroy(&u->lock);
    free(u);
    return 0;
}
