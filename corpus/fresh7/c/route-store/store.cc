#include "store.h"

bool RouteStore::announce(const Route &route)
{
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto &slot : routes_) {
        if (slot.bits == 0) {
            slot = route;
            ++count_;
            return true;
        }
    }
    return false;
}

void RouteStore::withdraw(std::uint32_t prefix)
{
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto &slot : routes_) {
        if (slot.bits != 0 && slot.prefix == prefix) {
            slot.bits = 0;
            --count_;
        }
    }
}

long RouteStore::count() const
{
    return count_;
}
