#include "frames.h"

#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct frame *free_list;

struct frame *frame_get(void)
{
    pthread_mutex_lock(&lock);
    struct frame *f = free_list;
    if (f)
        free_list = f->next;
    pthread_mutex_unlock(&lock);
    return f ? f : calloc(1, sizeof *f);
}

void frame_put(struct frame *f)
{
    pthread_mutex_lock(&lock);
    f->next = free_list;
    free_list = f;
    pthread_mutex_unlock(&lock);
}
