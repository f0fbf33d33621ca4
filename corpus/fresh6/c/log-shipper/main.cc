#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "shipper.h"

int main()
{
    Target elastic;
    {
        auto shipper = std::make_unique<Shipper>(&elastic, 100);
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
        shipper->close();
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
    std::puts("shipped");
    return 0;
}
