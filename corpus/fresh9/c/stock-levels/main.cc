#include <cstdio>
#include <memory>
#include <thread>

#include "traffic.h"

int main()
{
    auto stock = std::make_unique<Stock>();
    auto shop = std::make_unique<Shop>(stock.get());
    int served = 0;
    std::thread supply([&] { trucks(*shop, 8); });
    std::thread demand([&] { served = customers(*shop, 10); });
    supply.join();
    demand.join();
    std::printf("served: %d\n", served > 0);
    return 0;
}
