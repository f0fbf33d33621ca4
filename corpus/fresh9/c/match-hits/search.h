#pragma once
#include <string>
#include <vector>

#include "hits.h"

struct Part {
    int first;
    std::vector<std::string> lines;
};

void search(const Part &part, const std::string &word, Hits &into);
