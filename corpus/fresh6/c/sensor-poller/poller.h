#pragma once

#include <atomic>
#include <thread>

class Poller {
public:
    explicit Poller(long scale);
    ~Poller();
    long sum() const { return sum_; }

private:
    void run();
    long read_raw(int tick) const { return tick % 7; }

    std::atomic<bool> stop_{false};
    std::atomic<long> sum_{0};
    std::thread thread_;
    long scale_ = 1;
};
