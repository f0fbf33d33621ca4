// A feed that is appended to while it is measured; and its look-alike, a second list that is filled the same way.
#include <poll.h>

#include <thread>
#include <vector>

namespace news {

class Feed {
 public:
  void publish(int id) { items_.push_back(id); }
  void retract(int id) { removed_.push_back(id); }
  std::size_t length() const { return items_.size(); }
  std::size_t lost() const { return removed_.size(); }

 private:
  std::vector<int> items_;
  std::vector<int> removed_;
};

}  // namespace news

int main() {
  auto* feed = new news::Feed;
  std::thread writer([feed] {
    feed->publish(1);
    feed->retract(2);
  });
  std::thread reader([feed] {
    poll(nullptr, 0, 100);
    return feed->length() + feed->lost();
  });
  writer.join();
  reader.join();
  delete feed;
  return 0;
}
