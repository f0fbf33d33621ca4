#include "verify.h"

#include <chrono>
#include <thread>

bool Verifier::intact(std::size_t at) const
{
    const Shard &shard = shards_[at % shards_.size()];
    int sum = 0;
    for (int row : shard.rows)
        sum += row;
    return sum % 7 != 6;
}

int Verifier::run()
{
    std::vector<std::thread> threads;
    threads.reserve(shards_.size());
    for (std::size_t at = 0; at < shards_.size(); at++) {
        threads.emplace_back([&] {
            if (!intact(at))
                bad_.fetch_add(1, std::memory_order_relaxed);
        });
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    for (std::thread &thread : threads)
        thread.join();
    return bad_.load();
}
