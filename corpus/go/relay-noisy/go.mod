module example.com/net/relay

go 1.18
