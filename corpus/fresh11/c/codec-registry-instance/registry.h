#pragma once
#include <mutex>
#include <string>

class registry {
public:
    static registry *get();
    int codecs() const { return count; }

private:
    registry() : count(3) {}
    int count;
    static registry *instance;
    static std::mutex making;
};
