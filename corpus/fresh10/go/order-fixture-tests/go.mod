module example.com/ledgerly/orders

go 1.22
