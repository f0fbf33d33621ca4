#pragma once

#include <string>
#include <unordered_map>

class Interner {
public:
    int intern(const std::string &name);

private:
    std::unordered_map<std::string, int> ids_;
};
