#pragma once
#include <atomic>
#include <thread>

#include "link.h"

class Monitor {
public:
    explicit Monitor(Link *link);
    ~Monitor();
    void start();
    void stop();
    int checks() const { return checks_.load(); }

private:
    void watch();

    Link *link_;
    std::thread thread_;
    std::atomic<int> checks_{0};
};
