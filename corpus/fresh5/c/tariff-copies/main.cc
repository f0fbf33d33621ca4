#include <chrono>
#include <cstdio>
#include <thread>

#include "meter.h"

static void household(Meter meter, long watts)
{
    for (int i = 0; i < 3; i++) {
        meter.add(watts);
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
}

int main()
{
    Meter meter;
    std::thread a(household, meter, 40);
    std::thread b(household, meter, 60);
    a.join();
    b.join();
    std::puts("billed");
    return 0;
}
