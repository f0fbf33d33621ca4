#pragma once

#include <unordered_map>

class TitleIndex {
public:
    TitleIndex();
    void put(int page, int title);
    std::size_t size() const { return titles_.size(); }

private:
    std::unordered_map<int, int> titles_;
};
