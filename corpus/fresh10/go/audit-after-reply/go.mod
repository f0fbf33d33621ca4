module example.com/sluice/rpc

go 1.22
