#ifndef NAMES_H
#define NAMES_H

void names_put(int id, const char *name);
const char *names_get(int id, long now);
int names_expire(long before);

#endif
