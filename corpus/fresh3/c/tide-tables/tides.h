// Tides at one station.
#ifndef TIDES_H
#define TIDES_H

double tides_mean(void);
double tides_range(void);

#endif
