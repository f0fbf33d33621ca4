#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "table.h"

static struct table words;
static struct node nodes[4];

static void *reader(void *arg)
{
    const char **text = arg;
    for (int i = 0; i < 4; i++) {
        usleep(4000);
        table_add(&words, &nodes[i], text[i]);
    }
    usleep(25000);
    return NULL;
}

int main(void)
{
    static const char *text[4] = {"salt", "salt", "salt", "salt"};
    pthread_t tid;

    table_init(&words, 8);
    pthread_create(&tid, NULL, reader, text);
    usleep(10000);
    int had = table_has(&words, "salt");
    pthread_join(tid, NULL);
    printf("%d\n", had >= 0);
    free(words.buckets);
    return 0;
}
