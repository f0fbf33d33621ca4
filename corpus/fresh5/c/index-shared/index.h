#pragma once

#include <map>
#include <shared_mutex>
#include <string>

class Index {
public:
    Index();
    int find(const std::string &term);
    long hits();

private:
    std::shared_mutex mutex_;
    std::map<std::string, int> terms_;
    long hits_ = 0;
};
