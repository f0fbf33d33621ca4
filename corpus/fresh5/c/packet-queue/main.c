#include <stdio.h>
#include <unistd.h>

#include "queue.h"

static struct queue egress;
static struct packet packets[6];

static void *nic(void *arg)
{
    (void)arg;
    for (int i = 0; i < 6; i++) {
        queue_push(&egress, &packets[i]);
        usleep(3000);
    }
    usleep(20000);
    return NULL;
}

int main(void)
{
    pthread_t tid;
    int busy = 0;

    queue_init(&egress, 4);
    pthread_create(&tid, NULL, nic, NULL);
    usleep(10000);
    busy += queue_congested(&egress);
    pthread_join(tid, NULL);
    while (queue_pop(&egress) != NULL)
        busy++;
    printf("%d\n", busy > 0);
    return 0;
}
