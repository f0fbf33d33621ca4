module example.com/kestrel/lsm

go 1.22
