#pragma once

#include <atomic>

class Handshake {
public:
    explicit Handshake(int wait_us) : wait_us_(wait_us) {}
    void run(std::atomic<int> *ready) const;

private:
    int wait_us_;
};
