#pragma once
#include <random>

class roller {
public:
    explicit roller(unsigned seed) : engine(seed) {}
    int roll(int sides);

private:
    std::mt19937 engine;
};
