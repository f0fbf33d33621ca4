#ifndef ACCEPTOR_H
#define ACCEPTOR_H

struct listener {
    int backlog;
    long accepted;
};

void listener_accept(struct listener *listener);
long listener_rate(const struct listener *listener, long *last);

#endif
