#include <chrono>
#include <cstdio>
#include <thread>

#include "registry.h"

static void decode(int delay)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    if (registry::get()->codecs() == 0)
        std::puts("no codecs");
}

int main()
{
    std::thread video(decode, 1), audio(decode, 4);
    video.join();
    audio.join();
    std::printf("%d\n", registry::get()->codecs());
    return 0;
}
