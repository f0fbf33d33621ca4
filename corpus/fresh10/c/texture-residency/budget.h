#pragma once

#include <mutex>

// Budget is shared by all who bring textures in or throw them out.
struct Budget {
    long limit = 0;
    long resident = 0;
};

class Loader {
public:
    explicit Loader(Budget *budget) : budget_(budget) {}
    bool load(long bytes);

private:
    std::mutex mutex_;
    Budget *budget_;
};

class Evictor {
public:
    explicit Evictor(Budget *budget) : budget_(budget) {}
    long evict(long bytes);

private:
    std::mutex mutex_;
    Budget *budget_;
    long evicted_ = 0;
};
