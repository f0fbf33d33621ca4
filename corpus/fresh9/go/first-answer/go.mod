module example.com/resolve/first

go 1.22
