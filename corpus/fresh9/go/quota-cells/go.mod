module example.com/edge/limits

go 1.18
