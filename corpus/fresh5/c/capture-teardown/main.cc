#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "capture.h"

int main()
{
    Device camera{1};
    {
        auto capture = std::make_unique<Capture>(&camera);
        std::this_thread::sleep_for(std::chrono::milliseconds(9));
    }
    std::puts("closed");
    return 0;
}
