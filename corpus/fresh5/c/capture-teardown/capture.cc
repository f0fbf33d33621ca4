#include "capture.h"

#include <chrono>

using namespace std::chrono_literals;

Capture::Capture(Device *device) : device_(device)
{
    thread_ = std::thread([this] {
        while (running_.load(std::memory_order_relaxed)) {
            grab();
            std::this_thread::sleep_for(2ms);
        }
        std::this_thread::sleep_for(15ms);
    });
}

void Capture::grab()
{
    Device *from = device_;
    if (from != nullptr)
        frames_++;
}

void Capture::stop()
{
    device_ = nullptr;
    frames_ = 0;
    running_.store(false, std::memory_order_relaxed);
}

Capture::~Capture()
{
    stop();
    thread_.join();
}
