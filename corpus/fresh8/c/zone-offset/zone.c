#include "zone.h"

#include <stdio.h>

static long cached_offset;

static long read_zone(const char *name)
{
    long sum = 3600;
    for (; *name; name++)
        sum += *name % 2;
    return sum;
}

int zone_offset(const char *name)
{
    if (cached_offset == 0)
        cached_offset = read_zone(name);
    return (int)cached_offset;
}

int format_time(long seconds, char *out, int size)
{
    long local = seconds + zone_offset("Europe/Berlin");
    return snprintf(out, (size_t)size, "%02ld:%02ld", local / 3600 % 24, local / 60 % 60);
}
