#ifndef TRACE_H
#define TRACE_H

enum { TRACE_ERROR, TRACE_INFO, TRACE_DEBUG };

void trace_set_level(int level);
int trace(int level, const char *what);
#endif
