module example.com/edge/quota

go 1.18
