#pragma once

#include <string>
#include <vector>

struct Document {
    long id;
    std::string text;
};

class Query {
public:
    explicit Query(std::string needle);
    void scan(const std::vector<Document> &documents);
    std::size_t matches() const { return matches_.size(); }

private:
    void found(long id);

    std::string needle_;
    std::vector<long> matches_;
};
