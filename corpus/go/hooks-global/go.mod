module example.com/log/rotate

go 1.18
