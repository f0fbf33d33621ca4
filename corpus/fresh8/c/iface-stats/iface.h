#ifndef IFACE_H
#define IFACE_H

#include <pthread.h>

struct iface {
    char name[8];
    pthread_mutex_t lock;
    long packets;
};

struct iface *iface_new(const char *name);
void iface_receive(struct iface *ifc, int count);
int iface_dump(struct iface *ifc, char *out, int size);

#endif
