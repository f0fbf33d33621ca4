#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "atlas.h"

static void draw(Atlas &atlas, int delay)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    atlas.pixels();
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
}

int main()
{
    auto atlas = std::make_unique<Atlas>();
    std::thread a(draw, std::ref(*atlas), 0);
    std::thread b(draw, std::ref(*atlas), 10);
    a.join();
    b.join();
    std::puts("drawn");
    return 0;
}
