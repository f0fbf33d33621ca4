#pragma once

#include <atomic>
#include <thread>

struct Target {
    long sent = 0;
    void send(long lines) { sent += lines; }
};

class Shipper {
public:
    Shipper(Target *target, long batch);
    ~Shipper();
    void close();

private:
    void run();

    Target *target_;
    long batch_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};
