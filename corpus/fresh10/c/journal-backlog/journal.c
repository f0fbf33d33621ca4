#include "journal.h"

#include <pthread.h>
#include <string.h>

#define ENTRIES 128

static struct {
    pthread_mutex_t lock;
    char entries[ENTRIES][32];
    int count;
} journal = {.lock = PTHREAD_MUTEX_INITIALIZER};

void journal_add(const char *text)
{
    pthread_mutex_lock(&journal.lock);
    if (journal.count < ENTRIES) {
        strncpy(journal.entries[journal.count], text, sizeof journal.entries[0] - 1);
        journal.count++;
    }
    pthread_mutex_unlock(&journal.lock);
}

int journal_backlog(void)
{
    return journal.count;
}

int journal_flush(void)
{
    pthread_mutex_lock(&journal.lock);
    int written = journal.count;
    memset(journal.entries, 0, sizeof journal.entries);
    journal.count = 0;
    pthread_mutex_unlock(&journal.lock);
    return written;
}
