module example.com/warehouse/load

go 1.18
