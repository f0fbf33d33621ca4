#include <stdio.h>
#include <unistd.h>

#include "uart.h"

static void echo(unsigned char byte)
{
    if (byte == 3)
        fputs("third\n", stdout);
}

int main(void)
{
    struct uart *u = uart_open(20, echo);
    usleep(1500);
    uart_close(u);
    return 0;
}
