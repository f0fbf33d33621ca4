#include <cstdio>
#include <thread>

#include "probe.h"

int main()
{
    auto *latencies = new Latencies;
    std::thread north(Probe("north", latencies));
    std::thread south(Probe("south", latencies));
    north.join();
    south.join();
    std::printf("peers: %d\n", latencies->peers() > 0);
    delete latencies;
    return 0;
}
