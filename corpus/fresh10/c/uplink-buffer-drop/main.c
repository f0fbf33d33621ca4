#include <stdio.h>
#include <unistd.h>

#include "uplink.h"

int main(void)
{
    struct uplink *u = uplink_open(500);
    if (!u)
        return 1;
    usleep(3000);
    printf("sent something: %d\n", uplink_close(u) > 0);
    return 0;
}
