module example.com/coldstore/replica

go 1.22
