module example.com/granary/query

go 1.22
