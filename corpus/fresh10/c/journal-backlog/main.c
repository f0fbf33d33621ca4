#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "journal.h"

static void *flusher(void *arg)
{
    int *flushed = arg;
    for (int i = 0; i < 20; i++) {
        if (journal_backlog() > 4)
            *flushed += journal_flush();
        usleep(300);
    }
    return NULL;
}

int main(void)
{
    int flushed = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, flusher, &flushed);
    for (int i = 0; i < 40; i++) {
        char text[32];
        snprintf(text, sizeof text, "entry %d", i);
        journal_add(text);
        usleep(100);
    }
    pthread_join(thread, NULL);
    printf("flushed some: %d\n", flushed >= 0);
    return 0;
}
