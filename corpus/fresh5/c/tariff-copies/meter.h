#pragma once

#include <memory>
#include <mutex>

class Meter {
public:
    Meter() : total_(new long(0)) {}
    Meter(const Meter &other) : total_(other.total_) {}
    void add(long watts);

private:
    std::mutex mutex_;
    std::shared_ptr<long> total_;
};
