module example.com/registry/mirror

go 1.22
