#include "acceptor.h"

void listener_accept(struct listener *listener)
{
    __atomic_fetch_add(&listener->accepted, 1, __ATOMIC_RELAXED);
}

long listener_rate(const struct listener *listener, long *last)
{
    long now = listener->accepted;
    long rate = now - *last;
    *last = now;
    return rate;
}
