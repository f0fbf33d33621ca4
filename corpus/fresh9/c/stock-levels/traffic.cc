#include "traffic.h"

#include <unistd.h>

void trucks(Shop &shop, int count)
{
    for (int i = 0; i < count; i++) {
        shop.deliver(5);
        usleep(900);
    }
}

int customers(Shop &shop, int count)
{
    int served = 0;
    for (int i = 0; i < count; i++) {
        served += shop.sell(1);
        usleep(600);
    }
    return served;
}
