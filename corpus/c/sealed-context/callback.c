/* A framework that forbids its callers to hold a lock, and a caller that does. */
#include <pthread.h>

extern void __tsan_check_no_mutexes_held(void);

static pthread_mutex_t view_lock = PTHREAD_MUTEX_INITIALIZER;

static void run_callbacks(void)
{
    __tsan_check_no_mutexes_held();
}

static void view_refresh(void)
{
    pthread_mutex_lock(&view_lock);
    run_callbacks();
    pthread_mutex_unlock(&view_lock);
}

int main(void)
{
    view_refresh();
    return 0;
}
