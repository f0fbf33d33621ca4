module example.com/mesh/registry

go 1.18
