#ifndef HUB_H
#define HUB_H
#include <pthread.h>

struct hub {
    pthread_t reader;
    int scale;
    long sum;
};

struct hub *hub_open(int scale);
long hub_close(struct hub *h);
#endif
