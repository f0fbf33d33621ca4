#pragma once

#include <string>
#include <vector>

struct Found {
    long matches;
    long longest;
};

Found scan(const std::vector<std::string> &lines, char wanted);
