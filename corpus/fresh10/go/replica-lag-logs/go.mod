module example.com/mirage/replica

go 1.22
