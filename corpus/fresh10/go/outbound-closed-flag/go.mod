module example.com/parley/outbound

go 1.22
