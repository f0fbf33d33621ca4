module example.com/granary/scan

go 1.22
