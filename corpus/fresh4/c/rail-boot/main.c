#include <stdio.h>

#include "rail.h"

int main(void)
{
    rail_t *r = rail_boot("coast", 160);
    rail_wait(r);
    puts("arrived");
    return 0;
}
