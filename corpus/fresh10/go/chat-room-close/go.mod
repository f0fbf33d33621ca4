module example.com/parley/rooms

go 1.22
