#include <stdio.h>

#include "logger.h"

int main(void)
{
    struct logger *l = logger_start(400);
    if (!l)
        return 1;
    printf("%d\n", logger_join(l) > 0);
    return 0;
}
