module example.com/shadowdb/verify

go 1.22
