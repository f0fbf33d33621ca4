#include <stdio.h>

#include "oven.h"

int main(void)
{
    ovens_heat(4);
    puts("baked");
    return 0;
}
