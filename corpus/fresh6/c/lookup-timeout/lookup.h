#ifndef LOOKUP_H
#define LOOKUP_H

struct lookup {
    const char *host;
    long status;
    long address;
};

struct lookup *lookup_begin(const char *host);
long lookup_wait(struct lookup *l, int ms);

#endif
