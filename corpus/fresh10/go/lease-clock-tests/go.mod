module example.com/quorate/lease

go 1.22
