#include "lines.h"

#include <stdlib.h>

struct line_table *lines_new(void)
{
    return calloc(1, sizeof(struct line_table));
}

void lines_add(struct line_table *table, int address)
{
    if (table->length < MAX_ROWS)
        table->rows[table->length++] = address;
}
