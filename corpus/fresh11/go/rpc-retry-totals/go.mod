module example.com/callbox/rpc

go 1.22
