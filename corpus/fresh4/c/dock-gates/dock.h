#ifndef DOCK_H
#define DOCK_H

struct dock {
    const char *name;
    long ships;
    long tons;
};

struct dock *dock_open(const char *name);
void dock_enter(struct dock *d, long tons);
void dock_summary(const struct dock *d, long *ships, long *tons);

#endif
