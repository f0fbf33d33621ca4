#pragma once
#include <mutex>
#include <string>

struct Stock {
    std::string sku;
    int units = 0;
};

class Shop {
public:
    explicit Shop(Stock *stock) : stock_(stock) {}
    void deliver(int units);
    bool sell(int units);

private:
    std::mutex warehouse_;
    std::mutex till_;
    Stock *stock_;
    int takings_ = 0;
};
