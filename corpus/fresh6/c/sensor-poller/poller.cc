#include "poller.h"

#include <chrono>

Poller::Poller(long scale)
{
    thread_ = std::thread([this] { run(); });
    scale_ = scale > 0 ? scale : 1;
}

void Poller::run()
{
    for (int tick = 0; !stop_; tick++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        sum_ += read_raw(tick) * scale_;
    }
}

Poller::~Poller()
{
    stop_ = true;
    thread_.join();
}
