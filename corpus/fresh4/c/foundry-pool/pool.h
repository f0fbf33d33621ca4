#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
 public:
  using Task = std::function<void()>;

  Pool(int threads, Task after_each);
  ~Pool();
  void post(Task task);
  void wait_idle();

 private:
  void run();
  bool next(Task* task);
  void finish();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<Task> tasks_;
  int open_ = 0;
  bool stopping_ = false;
  Task after_each_;
  std::vector<std::thread> threads_;
};
