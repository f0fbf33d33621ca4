#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "interner.h"

using namespace std::chrono_literals;

static void parse(Interner &table, const char *name, int delay)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    table.intern(name);
    std::this_thread::sleep_for(25ms);
}

int main()
{
    auto table = std::make_unique<Interner>();
    std::thread a(parse, std::ref(*table), "main", 1);
    std::thread b(parse, std::ref(*table), "argv", 8);
    a.join();
    b.join();
    std::puts("parsed");
    return 0;
}
