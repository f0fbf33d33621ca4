#pragma once

#include <array>
#include <cstdint>
#include <mutex>

struct Route {
    std::uint32_t prefix = 0;
    std::uint8_t bits = 0;
    std::uint32_t gateway = 0;
};

class RouteStore {
public:
    bool announce(const Route &route);
    void withdraw(std::uint32_t prefix);
    long count() const;

private:
    mutable std::mutex mutex_;
    std::array<Route, 128> routes_;
    long count_ = 0;
};
