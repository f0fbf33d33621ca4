#include "budget.h"

bool Loader::load(long bytes)
{
    std::lock_guard<std::mutex> hold(mutex_);
    if (bytes > budget_->limit)
        return false;
    budget_->resident += bytes;
    return true;
}

long Evictor::evict(long bytes)
{
    std::lock_guard<std::mutex> hold(mutex_);
    if (budget_->resident < bytes)
        return 0;
    budget_->resident -= bytes;
    evicted_ += bytes;
    return evicted_;
}
