// Lockers of a public bath.
#ifndef LOCKERS_H
#define LOCKERS_H

enum { LOCKERS = 8 };

int lockers_take(int guest);
int lockers_of(int guest);

#endif
