#include <cstdio>
#include <functional>
#include <memory>
#include <thread>

#include "query.h"

int main()
{
    const std::vector<Document> left = {{1, "data race"}, {2, "lock"}, {3, "race condition"}};
    const std::vector<Document> right = {{4, "race day"}, {5, "no"}, {6, "foot race"}};
    auto query = std::make_unique<Query>("race");
    std::thread one([&] { query->scan(left); });
    std::thread two([&] { query->scan(right); });
    one.join();
    two.join();
    std::printf("matches: %d\n", query->matches() > 0);
    return 0;
}
