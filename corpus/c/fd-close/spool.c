/* A rotation closes the spool's descriptor while a writer uses it. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int spool_open(void)
{
    return open("/dev/null", O_WRONLY);
}

static void spool_append(int fd)
{
    if (write(fd, "row\n", 4) < 0)
        _exit(3);
}

static void spool_rotate(int fd)
{
    close(fd);
}

static void *writer(void *arg)
{
    spool_append(*(int *)arg);
    return NULL;
}

static void *rotator(void *arg)
{
    poll(NULL, 0, 100);
    spool_rotate(*(int *)arg);
    return NULL;
}

int main(void)
{
    int fd = spool_open();
    pthread_t one, two;

    pthread_create(&one, NULL, writer, &fd);
    pthread_create(&two, NULL, rotator, &fd);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
