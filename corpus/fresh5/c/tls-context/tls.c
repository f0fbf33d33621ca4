#include "tls.h"

#include <stdlib.h>
#include <unistd.h>

static struct tls_ctx *shared_ctx;

struct tls_ctx *tls_default(void)
{
    if (shared_ctx == NULL) {
        usleep(3000);
        shared_ctx = malloc(sizeof(*shared_ctx));
    }
    return shared_ctx;
}

int tls_handshake(int fd)
{
    return tls_default() != NULL && fd >= 0;
}
