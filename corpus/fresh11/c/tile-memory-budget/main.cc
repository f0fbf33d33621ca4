#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "budget.h"

using namespace std::chrono_literals;

static void load_tiles(budget *b)
{
    for (int i = 0; i < 10; i++) {
        if (!b->charge(4096))
            return;
        std::this_thread::sleep_for(200us);
        b->refund(4096);
    }
}

int main()
{
    auto b = std::make_unique<budget>(64 * 1024);
    std::thread loader(load_tiles, b.get());
    int warnings = 0;
    for (int frame = 0; frame < 6; frame++) {
        warnings += b->over(90);
        std::this_thread::sleep_for(300us);
    }
    loader.join();
    std::printf("%d\n", warnings);
    return 0;
}
