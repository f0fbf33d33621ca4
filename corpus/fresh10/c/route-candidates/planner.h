#pragma once

#include <vector>

struct Route {
    int hops;
    int cost;
};

class Planner {
public:
    Planner() { routes_.reserve(64); }
    void search(int from, int to);
    std::size_t found() const { return routes_.size(); }

private:
    void keep(Route route);
    std::vector<Route> routes_;
};
