module example.com/quarry/replica

go 1.22
