#pragma once

#include <mutex>
#include <string>
#include <vector>

class Kennel {
 public:
  void admit(const std::string& name);
  long size() const { return size_; }
  long newest() const { return newest_; }

 private:
  std::mutex gate_;
  std::vector<std::string> names_;
  long size_ = 0;
  long newest_ = -1;
};
