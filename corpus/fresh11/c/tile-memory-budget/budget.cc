#include "budget.h"

bool budget::charge(size_t bytes)
{
    std::lock_guard<std::mutex> hold(guard);
    if (limit < bytes)
        return false;
    used += bytes;
    return true;
}

void budget::refund(size_t bytes)
{
    std::lock_guard<std::mutex> hold(guard);
    used -= bytes;
}

bool budget::over(size_t share) const
{
    return used * 100 > limit * share;
}
