module example.com/net/flows

go 1.21
