module example.com/coord/locks

go 1.18
