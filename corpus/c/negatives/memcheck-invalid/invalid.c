/* A read after free and a jump on an unset value, for Memcheck. */
#include <stdlib.h>

static int *make(void)
{
    return malloc(4 * sizeof(int));
}

static int use(const int *row)
{
    if (row[1] > 3)
        return row[4];
    return 0;
}

int main(void)
{
    int *row = make();
    int sum = use(row);

    free(row);
    return sum == row[0] ? 0 : 1;
}
