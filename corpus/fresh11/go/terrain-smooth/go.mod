module example.com/highlands

go 1.22
