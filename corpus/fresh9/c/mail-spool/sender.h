#pragma once
#include "spool.h"

class Sender {
public:
    explicit Sender(Spool &spool) : spool_(spool) {}
    void run(int rounds);

private:
    Spool &spool_;
};
