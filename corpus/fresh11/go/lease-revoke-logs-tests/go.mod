module example.com/lockd/lease

go 1.22
