#ifndef READER_H
#define READER_H

#include <pthread.h>

typedef void (*reader_handler)(const char *code, void *user);

struct reader {
    pthread_t thread;
    int codes;
    reader_handler handler;
    void *user;
};

struct reader *reader_open(int codes, reader_handler handler, void *user);
void reader_join(struct reader *r);

#endif
