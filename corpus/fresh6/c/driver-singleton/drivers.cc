#include "drivers.h"

Drivers *Drivers::self_ = nullptr;
std::mutex Drivers::mutex_;

Drivers::Drivers() : loaded_(3) {}

Drivers *Drivers::get()
{
    if (self_ == nullptr) {
        std::lock_guard<std::mutex> hold(mutex_);
        if (self_ == nullptr)
            self_ = new Drivers();
    }
    return self_;
}

bool Drivers::knows(const std::string &name) const
{
    return name == "postgres" || name == "sqlite";
}
