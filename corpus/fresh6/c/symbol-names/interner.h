#pragma once

#include <map>
#include <string>

class Interner {
public:
    int intern(int hash);

private:
    std::map<int, int> ids_;
};
