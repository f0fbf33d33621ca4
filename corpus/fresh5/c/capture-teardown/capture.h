#pragma once

#include <atomic>
#include <thread>

struct Device {
    int id;
};

class Capture {
public:
    explicit Capture(Device *device);
    ~Capture();
    void stop();

private:
    void grab();

    Device *device_;
    long frames_ = 0;
    std::atomic<bool> running_{true};
    std::thread thread_;
};
