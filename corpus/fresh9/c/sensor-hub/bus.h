#ifndef BUS_H
#define BUS_H
int bus_read(int channel);
int bus_probe(void);
#endif
