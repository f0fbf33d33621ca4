#pragma once

#include <atomic>
#include <thread>

class Decoder {
public:
    Decoder(long channels, long rate);
    ~Decoder();
    long frames() const { return frames_; }

private:
    void loop();
    long decode(long packet) const;

    std::atomic<bool> stop_{false};
    std::atomic<long> frames_{0};
    long channels_;
    long rate_ = 1;
    std::thread thread_;
};
