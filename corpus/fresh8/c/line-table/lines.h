#ifndef LINES_H
#define LINES_H

#define MAX_ROWS 64

struct line_table {
    long length;
    int rows[MAX_ROWS];
};

struct line_table *lines_new(void);
void lines_add(struct line_table *table, int address);

#endif
