#pragma once
#include <chrono>
#include <string>
#include <vector>

struct span {
    std::string name;
    std::chrono::steady_clock::time_point begin, end;
};

class trace {
public:
    explicit trace(size_t expected) { spans.reserve(expected); }
    void finish(const std::string &name, std::chrono::steady_clock::time_point begin);
    size_t size() const;

private:
    std::vector<span> spans;
};
