#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stddef.h>

struct histogram {
    const char *interface;
    long packets;
    long bytes;
};

struct histogram *histogram_new(const char *interface);
void histogram_add(struct histogram *h, size_t size);
void histogram_free(struct histogram *h);

#endif
