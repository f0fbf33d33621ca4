#include <stdio.h>
#include <unistd.h>

#include "loop.h"

int main(void)
{
    struct loop *loop = loop_start();
    usleep(5000);
    loop_stop(loop);
    printf("stopped\n");
    return 0;
}
