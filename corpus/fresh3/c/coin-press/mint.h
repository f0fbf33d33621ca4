// Dies with which coins are struck.
#pragma once

#include <map>
#include <shared_mutex>
#include <string>

class Mint {
 public:
  void Cut(const std::string& coin, int die);
  int Die(const std::string& coin) const;
  long Asked() const;

 private:
  mutable std::shared_timed_mutex lock_;
  std::map<std::string, int> dies_;
  mutable long asked_ = 0;
};
