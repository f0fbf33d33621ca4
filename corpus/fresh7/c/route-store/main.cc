#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "store.h"

static void feed(RouteStore &store)
{
    for (std::uint32_t i = 1; i <= 8; i++) {
        store.announce(Route{i << 8, 24, 1});
        if (i % 4 == 0)
            store.withdraw(i << 8);
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
}

static long sample(const RouteStore &store)
{
    long most = 0;
    for (int i = 0; i < 6; i++) {
        long now = store.count();
        most = now > most ? now : most;
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    return most;
}

int main()
{
    auto store = std::make_unique<RouteStore>();
    std::thread bgp([&] { feed(*store); });
    std::printf("routes: %d\n", sample(*store) >= 0);
    bgp.join();
    return 0;
}
