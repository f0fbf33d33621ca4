module example.com/sieve/order

go 1.22
