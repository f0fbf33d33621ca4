#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "tracer.h"

using namespace std::chrono_literals;

int main()
{
    auto tracer = std::make_unique<Tracer>();
    std::thread worker([&t = *tracer] {
        for (long i = 0; i < 5; i++) {
            t.record(i, 100 * i);
            std::this_thread::sleep_for(3ms);
        }
        std::this_thread::sleep_for(15ms);
    });
    std::this_thread::sleep_for(8ms);
    bool some = tracer->pending() > 0;
    worker.join();
    std::printf("%s\n", some ? "some" : "none");
    return 0;
}
