#pragma once
#include <string>
#include <vector>

class Hits {
public:
    explicit Hits(unsigned most) { found_.reserve(most); }
    void add(int line);
    unsigned count() const { return found_.size(); }

private:
    std::vector<int> found_;
};
