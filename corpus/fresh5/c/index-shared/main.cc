#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "index.h"

static void searcher(Index &index, const char *term)
{
    for (int i = 0; i < 3; i++) {
        index.find(term);
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
}

int main()
{
    auto index = std::make_unique<Index>();
    std::thread a(searcher, std::ref(*index), "race");
    std::thread b(searcher, std::ref(*index), "heat");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    bool some = index->hits() > 0;
    a.join();
    b.join();
    std::puts(some ? "hits" : "no hits");
    return 0;
}
