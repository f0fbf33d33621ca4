#include "logger.h"

#include <stdlib.h>
#include <unistd.h>

static void *write_lines(void *arg)
{
    struct logger *l = arg;
    for (int i = 0; i < 15; i++) {
        l->written += 80;
        if (l->written > l->limit) {
            l->rotations++;
            l->written = 0;
        }
        usleep(200);
    }
    return NULL;
}

struct logger *logger_start(long limit)
{
    struct logger *l = calloc(1, sizeof *l);
    if (pthread_create(&l->thread, NULL, write_lines, l)) {
        free(l);
        return NULL;
    }
    usleep(600);
    l->limit = limit;
    return l;
}

int logger_join(struct logger *l)
{
    pthread_join(l->thread, NULL);
    int rotations = l->rotations;
    free(l);
    return rotations;
}
