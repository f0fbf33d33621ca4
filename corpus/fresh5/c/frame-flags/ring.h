#ifndef RING_H
#define RING_H

struct ring {
    unsigned long produced;
    unsigned long capacity;
};

struct ring *ring_new(unsigned long capacity);
void ring_publish(struct ring *r);
unsigned long ring_total(const struct ring *r);

#endif
