#include <cstdio>
#include <thread>
#include <vector>

#include "handshake.h"

int main()
{
    std::atomic<int> ready{0};
    std::vector<Handshake> clients{Handshake(0), Handshake(1000), Handshake(4000)};
    std::vector<std::thread> threads;
    for (const Handshake &client : clients)
        threads.emplace_back(&Handshake::run, &client, &ready);
    for (std::thread &thread : threads)
        thread.join();
    std::printf("ready: %d\n", ready.load());
    return 0;
}
