#pragma once

class Pump {
 public:
  explicit Pump(int id);
  void stroke(bool leaky);
  long strokes() const;
  void repair();

 private:
  int id_;
  long strokes_ = 0;
  long leaks_ = 0;
};
