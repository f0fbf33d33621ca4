#ifndef OVEN_H
#define OVEN_H

void ovens_heat(int trays);

#endif
