#include <chrono>
#include <cstdio>
#include <thread>

#include "ping.h"

int main()
{
    Pinger pinger("192.0.2.9");
    Reply *reply = pinger.ping(4, 8);
    long total = 0;
    for (int i = 0; i < 6; i++) {
        total += elapsed(*reply);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::printf("asked: %d\n", total >= 0);
    return 0;
}
