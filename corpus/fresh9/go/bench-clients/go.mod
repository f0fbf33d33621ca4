module example.com/load/bench

go 1.21
