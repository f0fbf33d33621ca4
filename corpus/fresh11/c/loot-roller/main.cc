#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "roller.h"

static void drop_loot(roller *r, int *rare)
{
    for (int i = 0; i < 2; i++) {
        if (r->roll(20) == 20)
            ++*rare;
        std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
}

int main()
{
    auto r = std::make_unique<roller>(7);
    int forest = 0, caves = 0;
    std::thread a(drop_loot, r.get(), &forest), b(drop_loot, r.get(), &caves);
    a.join();
    b.join();
    std::printf("%d\n", forest + caves >= 0);
    return 0;
}
