#ifndef TLS_H
#define TLS_H

struct tls_ctx {
    int min_version;
    int refs;
};

struct tls_ctx *tls_default(void);
int tls_handshake(int fd);

#endif
