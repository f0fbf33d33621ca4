#pragma once

#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
 public:
  using Task = std::function<void()>;

  explicit Pool(int threads);
  ~Pool();
  void Post(Task task);
  void Quit();
  long Done() const;

 private:
  void Work();
  bool Next(Task* task);

  std::mutex lock_;
  std::queue<Task> tasks_;
  std::vector<std::thread> threads_;
  bool quit_ = false;
  long done_ = 0;
};
