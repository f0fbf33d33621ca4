module example.com/rpc/dispatch

go 1.18
