#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>

struct node {
    struct node *next;
    const char *word;
};

struct table {
    struct node **buckets;
    size_t size;
    long count;
};

void table_init(struct table *t, size_t size);
void table_add(struct table *t, struct node *n, const char *word);
int table_has(const struct table *t, const char *word);

#endif
