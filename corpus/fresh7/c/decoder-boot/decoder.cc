#include "decoder.h"

#include <chrono>

Decoder::Decoder(long channels, long rate) : channels_(channels)
{
    thread_ = std::thread(&Decoder::loop, this);
    if (rate > 0)
        rate_ = rate;
}

long Decoder::decode(long packet) const
{
    return packet * channels_ / rate_;
}

void Decoder::loop()
{
    for (long packet = 0; !stop_; packet += 960) {
        frames_ += decode(packet);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

Decoder::~Decoder()
{
    stop_ = true;
    thread_.join();
}
