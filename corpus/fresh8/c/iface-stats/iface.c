#include "iface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct iface *iface_new(const char *name)
{
    struct iface *ifc = calloc(1, sizeof(*ifc));
    strncpy(ifc->name, name, sizeof(ifc->name) - 1);
    pthread_mutex_init(&ifc->lock, NULL);
    return ifc;
}

void iface_receive(struct iface *ifc, int count)
{
    pthread_mutex_lock(&ifc->lock);
    ifc->packets += count;
    pthread_mutex_unlock(&ifc->lock);
}

int iface_dump(struct iface *ifc, char *out, int size)
{
    long packets = ifc->packets;
    return snprintf(out, (size_t)size, "%s %ld", ifc->name, packets);
}
