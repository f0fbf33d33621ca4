#include <chrono>
#include <cstdio>
#include <memory>

#include "decoder.h"

int main()
{
    auto decoder = std::make_unique<Decoder>(2, 48);
    std::this_thread::sleep_for(std::chrono::milliseconds(8));
    std::printf("frames: %d\n", decoder->frames() >= 0);
    return 0;
}
