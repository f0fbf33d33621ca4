#ifndef MODEM_H
#define MODEM_H

struct modem {
    const char *tty;
    long rx_bytes;
    long tx_bytes;
};

struct modem_status {
    long received;
    long sent;
};

struct modem *modem_open(const char *tty);
void modem_close(struct modem *m);
void modem_frame(struct modem *m, long in, long out);
void modem_status(const struct modem *m, struct modem_status *to);

#endif
