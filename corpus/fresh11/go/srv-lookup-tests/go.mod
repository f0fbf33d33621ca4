module example.com/meshkit/discovery

go 1.22
