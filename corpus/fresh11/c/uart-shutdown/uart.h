#ifndef UART_H
#define UART_H
#include <pthread.h>

typedef void (*uart_cb)(unsigned char byte);

struct uart {
    pthread_t rx;
    int bytes;
    uart_cb on_byte;
};

struct uart *uart_open(int bytes, uart_cb cb);
void uart_close(struct uart *u);

#endif
