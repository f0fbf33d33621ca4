#include "uart.h"

#include <stdlib.h>
#include <unistd.h>

static void *receive(void *arg)
{
    struct uart *u = arg;
    for (int i = 0; i < u->bytes; i++) {
        uart_cb cb = u->on_byte;
        if (cb)
            cb((unsigned char)i);
        usleep(200);
    }
    return NULL;
}

struct uart *uart_open(int bytes, uart_cb cb)
{
    struct uart *u = calloc(1, sizeof *u);
    u->bytes = bytes;
    u->on_byte = cb;
    pthread_create(&u->rx, NULL, receive, u);
    return u;
}

void uart_close(struct uart *u)
{
    u->on_byte = NULL;
    pthread_join(u->rx, NULL);
    free(u);
}
