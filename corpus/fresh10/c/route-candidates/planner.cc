#include "planner.h"

#include <chrono>
#include <thread>

void Planner::keep(Route route)
{
    routes_.push_back(route);
}

void Planner::search(int from, int to)
{
    for (int hops = 1; hops <= 6; hops++) {
        std::this_thread::sleep_for(std::chrono::microseconds(150));
        int cost = (to - from) * hops % 17;
        if (cost < 15)
            keep(Route{hops, cost});
    }
}
