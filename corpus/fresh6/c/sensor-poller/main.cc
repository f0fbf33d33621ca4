#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "poller.h"

int main()
{
    auto poller = std::make_unique<Poller>(10);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::printf("sum: %d\n", poller->sum() >= 0);
    return 0;
}
