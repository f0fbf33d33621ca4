#include "codec.h"

#include <chrono>

using namespace std::chrono_literals;

Codec::Codec(long bitrate, long channels) : thread_([this] { encode(); }), frames_(0)
{
    std::this_thread::sleep_for(4ms);
    bitrate_ = bitrate;
    channels_ = channels;
}

void Codec::encode()
{
    std::this_thread::sleep_for(9ms);
    long rate = bitrate_;
    long lanes = channels_;
    std::this_thread::sleep_for(std::chrono::milliseconds(rate * lanes > 0 ? 12 : 13));
}

Codec::~Codec()
{
    thread_.join();
}
