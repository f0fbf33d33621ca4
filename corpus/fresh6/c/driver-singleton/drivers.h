#pragma once

#include <mutex>
#include <string>

class Drivers {
public:
    static Drivers *get();
    bool knows(const std::string &name) const;

private:
    Drivers();

    static Drivers *self_;
    static std::mutex mutex_;
    int loaded_;
};
