#ifndef PLANT_H
#define PLANT_H

struct plant_state {
    int pressure;
    int pump_on;
};

void plant_step(int inflow);
int plant_pressure(void);

#endif
