/* Both sides hold a lock, but not the same one. */
#include <pthread.h>

struct table {
    pthread_mutex_t rows_lock;
    pthread_mutex_t stats_lock;
    int rows;
};

static struct table orders = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0};

static void table_insert(struct table *t)
{
    pthread_mutex_lock(&t->rows_lock);
    t->rows++;
    pthread_mutex_unlock(&t->rows_lock);
}

static int table_count(struct table *t)
{
    int rows;

    pthread_mutex_lock(&t->stats_lock);
    rows = t->rows;
    pthread_mutex_unlock(&t->stats_lock);
    return rows;
}

static void *inserter(void *arg)
{
    table_insert(arg);
    return NULL;
}

static void *planner(void *arg)
{
    return (void *)(long)table_count(arg);
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, inserter, &orders);
    pthread_create(&two, NULL, planner, &orders);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
