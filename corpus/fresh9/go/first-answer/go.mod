module example.com/resolve/race

go 1.22
