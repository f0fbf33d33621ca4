module example.com/coldstore/copyjob

go 1.22
