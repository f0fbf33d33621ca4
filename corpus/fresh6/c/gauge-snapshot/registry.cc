#include "registry.h"

void Registry::add(const std::string &name, double value)
{
    std::lock_guard<std::mutex> hold(mutex_);
    gauges_[name] += value;
}

double Registry::flush()
{
    std::lock_guard<std::mutex> hold(mutex_);
    double sum = 0;
    for (const auto &gauge : gauges_)
        sum += gauge.second;
    gauges_.clear();
    flushes_ += 1;
    return sum;
}

long Registry::flushes() const
{
    return flushes_;
}
