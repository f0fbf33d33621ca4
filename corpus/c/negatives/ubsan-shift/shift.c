/* Undefined arithmetic, for UndefinedBehaviorSanitizer. */
#include <limits.h>
#include <stdio.h>

static int scale(int value, int by)
{
    return value << by;
}

int main(void)
{
    volatile int big = INT_MAX;

    printf("%d %d\n", scale(1, (big & 7) + 30), big + 1);
    return 0;
}
