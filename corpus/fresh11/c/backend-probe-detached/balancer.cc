#include "balancer.h"

#include <chrono>
#include <thread>

using namespace std::chrono;

static void probe(backend *b, int slowness)
{
    auto began = steady_clock::now();
    std::this_thread::sleep_for(milliseconds(slowness));
    b->latency_us = duration_cast<microseconds>(steady_clock::now() - began).count();
}

balancer::balancer(std::vector<std::string> hosts)
{
    for (auto &host : hosts)
        backends.push_back({host});
}

void balancer::probe_all()
{
    int slowness = 1;
    for (auto &b : backends)
        std::thread(probe, &b, slowness *= 3).detach();
}

const backend &balancer::pick() const
{
    const backend *best = &backends[0];
    for (auto &b : backends)
        if (b.latency_us < best->latency_us)
            best = &b;
    return *best;
}
