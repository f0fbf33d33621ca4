#ifndef DISPATCH_H
#define DISPATCH_H

struct job {
    int id;
    long size;
};

struct dispatcher {
    const char *name;
    long completed;
    long volume;
};

struct dispatcher *dispatcher_new(const char *name);
void dispatcher_run(struct dispatcher *d, const struct job *jobs, int count);

#endif
