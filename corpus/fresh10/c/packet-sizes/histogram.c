#include "histogram.h"

#include <stdlib.h>

struct histogram *histogram_new(const char *interface)
{
    struct histogram *h = calloc(1, sizeof *h);
    if (h)
        h->interface = interface;
    return h;
}

void histogram_add(struct histogram *h, size_t size)
{
    if (size < 20)
        return;
    h->packets++;
    h->bytes += (long)size;
}

void histogram_free(struct histogram *h)
{
    free(h);
}
