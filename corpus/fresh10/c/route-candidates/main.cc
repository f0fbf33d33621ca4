#include <cstdio>
#include <functional>
#include <thread>

#include "planner.h"

int main()
{
    Planner planner;
    std::thread outward(&Planner::search, &planner, 3, 41);
    std::thread homeward(&Planner::search, &planner, 41, 3);
    outward.join();
    homeward.join();
    std::printf("routes found: %d\n", planner.found() > 0);
    return 0;
}
