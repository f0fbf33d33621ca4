module example.com/quarry/lsm

go 1.22
