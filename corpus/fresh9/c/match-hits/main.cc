#include <cstdio>
#include <memory>
#include <thread>

#include "search.h"

int main()
{
    const Part parts[2] = {
        {1, {"int main(void)", "return 0;", "int x;"}},
        {100, {"int y;", "void f(void);", "int z;"}},
    };
    auto hits = std::make_unique<Hits>(64);
    std::thread first([&] { search(parts[0], "int", *hits); });
    std::thread second([&] { search(parts[1], "int", *hits); });
    first.join();
    second.join();
    std::printf("found some: %d\n", hits->count() > 0);
    return 0;
}
