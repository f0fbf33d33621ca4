module example.com/rpc/future

go 1.18
