#include "shipper.h"

#include <chrono>

Shipper::Shipper(Target *target, long batch) : target_(target), batch_(batch)
{
    thread_ = std::thread(&Shipper::run, this);
}

void Shipper::run()
{
    while (!stop_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        Target *to = target_;
        long lines = batch_;
        if (to && lines > 0)
            to->send(lines);
    }
}

void Shipper::close()
{
    target_ = nullptr;
    batch_ = 0;
    stop_ = true;
}

Shipper::~Shipper()
{
    if (thread_.joinable())
        thread_.join();
}
