module example.com/edge/match

go 1.18
