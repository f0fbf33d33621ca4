#pragma once

#include <mutex>

class Atlas {
public:
    const unsigned *pixels();

private:
    std::mutex mutex_;
    unsigned *pixels_ = nullptr;
};
