module example.com/billcraft/rates

go 1.22
