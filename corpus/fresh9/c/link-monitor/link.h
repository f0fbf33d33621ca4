#pragma once

class Link {
public:
    explicit Link(int id) : id_(id) {}
    bool up() const { return id_ > 0; }

private:
    int id_;
};
