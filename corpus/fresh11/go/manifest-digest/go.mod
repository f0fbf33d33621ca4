module example.com/registry/manifest

go 1.22
