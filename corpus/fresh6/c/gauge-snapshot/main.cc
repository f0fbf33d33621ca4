#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "registry.h"

using std::chrono::milliseconds;

static void flusher(Registry *registry, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        registry->add("queue_depth", i);
        registry->flush();
        std::this_thread::sleep_for(milliseconds(2));
    }
}

static void status_page(const Registry *registry, int rounds)
{
    long last = 0;
    for (int i = 0; i < rounds; i++) {
        last = registry->flushes();
        std::this_thread::sleep_for(milliseconds(3));
    }
    if (last < 0)
        std::puts("overflow");
}

int main()
{
    auto registry = std::make_unique<Registry>();
    std::thread a(flusher, registry.get(), 6);
    std::thread b(status_page, registry.get(), 4);
    a.join();
    b.join();
    std::puts("flushed");
    return 0;
}
