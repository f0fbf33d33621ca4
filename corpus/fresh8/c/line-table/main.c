#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "lines.h"

struct pass {
    struct line_table *table;
    int base;
};

static void *assemble(void *arg)
{
    struct pass *pass = arg;
    for (int i = 0; i < 8; i++)
        lines_add(pass->table, pass->base + i * 4);
    return NULL;
}

int main(void)
{
    struct line_table *table = lines_new();
    struct pass passes[2] = {{table, 0x1000}, {table, 0x2000}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, assemble, &passes[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("rows: %d\n", table->length > 0);
    free(table);
    return 0;
}
