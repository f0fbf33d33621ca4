module example.com/batchd/leases

go 1.22
