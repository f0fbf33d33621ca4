#pragma once
#include <cstddef>
#include <mutex>

class budget {
public:
    explicit budget(size_t limit) : limit(limit) {}
    bool charge(size_t bytes);
    void refund(size_t bytes);
    bool over(size_t share) const;

private:
    std::mutex guard;
    size_t used = 0;
    const size_t limit;
};
