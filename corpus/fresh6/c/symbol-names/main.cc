#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "interner.h"

static void parse_unit(Interner *interner, int first, int delay)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    interner->intern(first);
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
}

int main()
{
    auto interner = std::make_unique<Interner>();
    std::thread a(parse_unit, interner.get(), 11, 0);
    std::thread b(parse_unit, interner.get(), 23, 5);
    a.join();
    b.join();
    std::puts("parsed");
    return 0;
}
