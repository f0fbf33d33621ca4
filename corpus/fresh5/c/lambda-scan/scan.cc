#include "scan.h"

#include <chrono>
#include <thread>

Found scan(const std::vector<std::string> &lines, char wanted)
{
    long matches = 0;
    long longest = 0;
    auto half = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; i++) {
            long size = static_cast<long>(lines[i].size());
            bool hit = lines[i].find(wanted) != std::string::npos;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (hit)
                matches++;
            if (size > 0)
                longest += size;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(15));
    };
    std::thread first(half, 0, lines.size() / 2);
    std::thread second(half, lines.size() / 2, lines.size());
    first.join();
    second.join();
    return Found{matches, longest};
}
