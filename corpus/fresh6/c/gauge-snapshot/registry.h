#pragma once

#include <map>
#include <mutex>
#include <string>

class Registry {
public:
    void add(const std::string &name, double value);
    double flush();
    long flushes() const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, double> gauges_;
    long flushes_ = 0;
};
