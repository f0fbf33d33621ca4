#include "kennel.h"

void Kennel::admit(const std::string& name) {
  std::unique_lock<std::mutex> lock(gate_);
  names_.push_back(name);
  ++size_;
  newest_ = static_cast<long>(names_.size()) - 1;
}
