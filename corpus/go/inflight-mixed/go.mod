module example.com/edge/limiter

go 1.18
