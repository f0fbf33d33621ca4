#include <stdio.h>
#include <unistd.h>

#include "lookup.h"

int main(void)
{
    struct lookup *l = lookup_begin("mail.shop.test");
    long address = lookup_wait(l, 2);
    printf("%s: %s\n", l->host, address ? "found" : "timed out");
    usleep(30000);
    return 0;
}
