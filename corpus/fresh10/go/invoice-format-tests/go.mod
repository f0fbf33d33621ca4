module example.com/ledgerly/invoice

go 1.22
