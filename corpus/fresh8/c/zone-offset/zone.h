#ifndef ZONE_H
#define ZONE_H

int zone_offset(const char *name);
int format_time(long seconds, char *out, int size);

#endif
