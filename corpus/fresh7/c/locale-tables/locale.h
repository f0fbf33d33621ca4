#ifndef LOCALE_TABLES_H
#define LOCALE_TABLES_H

struct month_table {
    int count;
};

const struct month_table *months(void);

#endif
