module example.com/ticker/future

go 1.22
