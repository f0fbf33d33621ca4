#ifndef FORWARD_H
#define FORWARD_H
#include "routes.h"

struct forwarder {
    struct routes *table;
    unsigned addr;
    int dropped;
};

void *forward_run(void *forwarder);
#endif
