#include "modem.h"

#include <stdlib.h>

struct modem *modem_open(const char *tty)
{
    struct modem *m = calloc(1, sizeof(*m));
    if (m != NULL)
        m->tty = tty;
    return m;
}

void modem_close(struct modem *m)
{
    free(m);
}

/* called for every frame on the line */
void modem_frame(struct modem *m, long in, long out)
{
    m->rx_bytes += in;
    m->tx_bytes += out;
}

void modem_status(const struct modem *m, struct modem_status *to)
{
    to->received = m->rx_bytes;
    to->sent = m->tx_bytes;
}
