#include "trace.h"

#include <string.h>

static int trace_level = TRACE_INFO;

void trace_set_level(int level)
{
    trace_level = level;
}

int trace(int level, const char *what)
{
    if (level > trace_level)
        return 0;
    return (int)strlen(what);
}
