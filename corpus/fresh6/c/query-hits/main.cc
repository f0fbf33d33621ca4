#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "search.h"

int main()
{
    auto results = std::make_unique<Results>();
    results->ids.reserve(64);
    std::vector<Segment> index = {{0, 20}, {20, 40}};
    std::vector<std::thread> threads;
    for (const Segment &segment : index)
        threads.emplace_back([&results, segment] { search(segment, 5, results.get()); });
    for (auto &thread : threads)
        thread.join();
    std::puts("searched");
    return 0;
}
