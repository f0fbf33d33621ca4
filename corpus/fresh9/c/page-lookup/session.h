#pragma once
#include <string>
#include <vector>

#include "wiki.h"

class Session {
public:
    Session(Wiki &wiki, std::vector<std::string> titles);
    void edit_all();
    int seen() const { return seen_; }

private:
    Wiki &wiki_;
    std::vector<std::string> titles_;
    int seen_ = 0;
};
