module example.com/forge/depgraph

go 1.22
