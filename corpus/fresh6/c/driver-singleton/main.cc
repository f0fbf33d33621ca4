#include <chrono>
#include <cstdio>
#include <thread>

#include "drivers.h"

static void session(const char *name, int delay)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    if (!Drivers::get()->knows(name))
        std::printf("no driver for %s\n", name);
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
}

int main()
{
    std::thread a(session, "postgres", 0);
    std::thread b(session, "sqlite", 4);
    a.join();
    b.join();
    std::puts("connected");
    return 0;
}
