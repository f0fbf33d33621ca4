module example.com/edge/router

go 1.18
