#include <stdio.h>

#include "reader.h"

static void book(const char *code, void *user)
{
    int *booked = user;
    if (code[0] == '0')
        (*booked)++;
}

int main(void)
{
    int booked = 0;
    struct reader *r = reader_open(20, book, &booked);
    if (!r)
        return 1;
    reader_join(r);
    printf("booked: %d\n", booked >= 0);
    return 0;
}
