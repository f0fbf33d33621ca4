module example.com/mempool/fees

go 1.22
