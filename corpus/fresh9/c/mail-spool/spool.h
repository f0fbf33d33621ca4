#pragma once
#include <mutex>

class Spool {
public:
    void put();
    bool take();
    int sent() const { return sent_; }

private:
    std::mutex mutex_;
    int queued_ = 0;
    int sent_ = 0;
};
