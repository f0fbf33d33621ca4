#pragma once

struct Codec {
  const char* name;
  int quality;
};

class Registry {
 public:
  static Registry* Get();
  static const Codec* Fallback();

 private:
  static Registry* instance_;
  static const Codec* fallback_;
};
