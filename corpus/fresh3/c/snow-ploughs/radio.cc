#include "radio.h"

#include <unistd.h>

#include <utility>

Radio::Radio(std::vector<Report> reports, Listener listener)
    : reports_(std::move(reports)), listener_(std::move(listener)), thread_(&Radio::Send, this) {}

void Radio::Send() const {
  for (const Report& report : reports_) {
    usleep(3000);
    listener_(report);
  }
}
