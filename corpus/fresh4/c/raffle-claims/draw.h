#pragma once

class Draw {
 public:
  bool claim(long ticket);
  void open_once(long booth);

 private:
  long winner_ = 0;
  long opened_by_ = 0;
};
