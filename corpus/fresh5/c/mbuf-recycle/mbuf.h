#ifndef MBUF_H
#define MBUF_H

struct mbuf {
    struct mbuf *next;
    long len;
};

void mbuf_setup(void);
struct mbuf *mbuf_get(long len);
void mbuf_put(struct mbuf *m);
long mbuf_sniff(const struct mbuf *m);

#endif
