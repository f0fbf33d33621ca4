module example.com/net/ticker

go 1.18
