#ifndef BELL_H
#define BELL_H

void bell_ring(void);
unsigned bell_wait(unsigned seen, int patience);

#endif
