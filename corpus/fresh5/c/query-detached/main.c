#include <stdio.h>
#include <unistd.h>

#include "query.h"

int main(void)
{
    struct query *q = query_start();
    usleep(5000);
    long rows = query_give_up(q);
    usleep(30000);
    printf("%s\n", rows >= 0 ? "gave up" : "odd");
    return 0;
}
