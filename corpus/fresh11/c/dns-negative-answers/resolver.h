#pragma once
#include <string>
#include <unordered_map>

class resolver {
public:
    bool lookup(const std::string &name);
    size_t known() const { return missing.size(); }

private:
    std::unordered_map<std::string, int> missing;
};
