module example.com/query/scan

go 1.19
