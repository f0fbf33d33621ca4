#include "table.h"

#include <stdlib.h>

static size_t slot_of(const struct table *t, const char *word)
{
    size_t sum = 0;
    while (*word)
        sum = sum * 31 + (unsigned char)*word++;
    return sum % t->size;
}

void table_init(struct table *t, size_t size)
{
    t->buckets = calloc(size, sizeof *t->buckets);
    t->size = size;
    t->count = 0;
}

void table_add(struct table *t, struct node *n, const char *word)
{
    size_t at = slot_of(t, word);
    n->word = word;
    t->buckets[at] = n;
    t->count++;
}

int table_has(const struct table *t, const char *word)
{
    size_t at = slot_of(t, word);
    if (t->count == 0)
        return 0;
    return t->buckets[at] != NULL;
}
