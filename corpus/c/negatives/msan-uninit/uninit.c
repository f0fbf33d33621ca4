/* A value that was never set, for MemorySanitizer. */
#include <stdlib.h>

int main(void)
{
    int *row = malloc(8);
    int chosen = 2;

    if (row[1] > 3)
        chosen = 1;
    free(row);
    return chosen;
}
