#include "plant.h"

#define HIGH 80
#define LOW 40

static struct plant_state plant;

void plant_step(int inflow)
{
    plant.pressure += inflow;
    if (plant.pressure > HIGH)
        plant.pump_on = 1;
    else if (plant.pressure < LOW)
        plant.pump_on = 0;
    if (plant.pump_on)
        plant.pressure -= 5;
}

int plant_pressure(void)
{
    return plant.pressure;
}
