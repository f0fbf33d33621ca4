module example.com/bgp/speaker

go 1.18
