#include <chrono>
#include <cstdio>
#include <thread>

#include "balancer.h"

int main()
{
    balancer b({"10.0.0.1", "10.0.0.2"});
    b.probe_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::printf("%zu\n", b.pick().host.size());
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    return 0;
}
