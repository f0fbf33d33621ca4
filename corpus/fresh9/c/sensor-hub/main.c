#include <stdio.h>

#include "hub.h"

int main(void)
{
    struct hub *h = hub_open(10);
    printf("sum: %d\n", hub_close(h) > 0);
    return 0;
}
