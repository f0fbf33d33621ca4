#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "budget.h"

int main()
{
    auto budget = std::make_unique<Budget>();
    budget->limit = 1 << 20;
    Loader loader(budget.get());
    Evictor evictor(budget.get());
    std::thread streaming([&loader] {
        for (int i = 0; i < 40; i++) {
            loader.load(4096);
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    });
    for (int i = 0; i < 40; i++) {
        evictor.evict(1024);
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    streaming.join();
    std::puts("level loaded");
    return 0;
}
