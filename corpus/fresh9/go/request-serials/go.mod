module example.com/rpc/transport

go 1.18
