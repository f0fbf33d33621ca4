#include "blob.h"

#include <pthread.h>
#include <stddef.h>

static struct blob stock[2];
static struct blob *free_list;
static int fresh = 2;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

struct blob *blob_take(void)
{
    struct blob *b;
    pthread_mutex_lock(&list_lock);
    b = free_list;
    if (b)
        free_list = b->next;
    else
        b = &stock[--fresh];
    pthread_mutex_unlock(&list_lock);
    return b;
}

void blob_give(struct blob *b)
{
    pthread_mutex_lock(&list_lock);
    b->next = free_list;
    free_list = b;
    pthread_mutex_unlock(&list_lock);
}

void blob_mix(struct blob *b, long colour, long amount)
{
    b->colour = colour;
    b->amount = amount;
}

long blob_dry(const struct blob *b)
{
    long wet = b->amount;
    return wet * b->colour;
}
