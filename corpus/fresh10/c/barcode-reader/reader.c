#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void emit(struct reader *r, int number)
{
    char code[16];
    snprintf(code, sizeof code, "%08d", number * 37);
    if (r->handler)
        r->handler(code, r->user);
}

static void *read_codes(void *arg)
{
    struct reader *r = arg;
    for (int i = 0; i < r->codes; i++) {
        emit(r, i);
        usleep(200);
    }
    return NULL;
}

struct reader *reader_open(int codes, reader_handler handler, void *user)
{
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->codes = codes;
    r->user = user;
    if (pthread_create(&r->thread, NULL, read_codes, r)) {
        free(r);
        return NULL;
    }
    usleep(400);
    r->handler = handler;
    return r;
}

void reader_join(struct reader *r)
{
    pthread_join(r->thread, NULL);
    free(r);
}
