#pragma once

#include <vector>

struct Yield {
  long kilos;
  long pickers;
};

Yield harvest(const std::vector<int>& rows);
