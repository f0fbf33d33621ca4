// A plough reports by radio.
#pragma once

#include <functional>
#include <thread>
#include <vector>

struct Report {
  long km;
  long salt;
};

class Radio {
 public:
  using Listener = std::function<void(const Report&)>;

  Radio(std::vector<Report> reports, Listener listener);
  ~Radio() { thread_.join(); }

 private:
  void Send() const;

  const std::vector<Report> reports_;
  const Listener listener_;
  std::thread thread_;
};
