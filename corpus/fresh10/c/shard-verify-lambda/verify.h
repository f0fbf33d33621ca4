#pragma once

#include <atomic>
#include <vector>

struct Shard {
    int id;
    std::vector<int> rows;
};

class Verifier {
public:
    explicit Verifier(std::vector<Shard> shards) : shards_(std::move(shards)) {}
    int run();

private:
    bool intact(std::size_t at) const;
    std::vector<Shard> shards_;
    std::atomic<int> bad_{0};
};
