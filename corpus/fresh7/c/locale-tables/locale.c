#include "locale.h"

#include <stdlib.h>
#include <unistd.h>

static struct month_table *month_names;

static struct month_table *load_months(void)
{
    usleep(1000);
    return calloc(1, sizeof(struct month_table));
}

const struct month_table *months(void)
{
    if (!month_names)
        month_names = load_months();
    return month_names;
}
