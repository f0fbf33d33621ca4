#include <chrono>
#include <cstdio>
#include <thread>

#include "deck.h"

static void table(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        draw(52);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
}

int main()
{
    std::thread a(table, 4), b(table, 4);
    a.join();
    b.join();
    std::puts("shuffled");
    return 0;
}
