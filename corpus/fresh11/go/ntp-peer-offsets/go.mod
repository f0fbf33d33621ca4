module example.com/chronod

go 1.22
