module example.com/loadgen/arrivals

go 1.20
