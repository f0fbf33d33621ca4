// Lambdas that capture a local by reference: two of them in one function, one within another.
#include <functional>
#include <future>
#include <thread>

namespace billing {

long sum_up() {
  long total = 0;
  long failures = 0;
  std::thread adder([&total] { total += 5; });
  auto checker = std::async(std::launch::async, [&] {
    auto note = [&failures](long code) { failures = code; };
    note(total);
  });
  failures = 1;
  adder.join();
  checker.get();
  return total + failures;
}

}  // namespace billing

int main() { return billing::sum_up() == 0; }
