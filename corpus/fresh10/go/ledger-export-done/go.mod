module example.com/abacus/export

go 1.22
