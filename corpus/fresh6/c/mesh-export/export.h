#pragma once

#include <string>
#include <vector>

struct Mesh {
    std::string name;
    int triangles;
};

long export_all(const std::vector<Mesh> &meshes);
