module example.com/geo/names

go 1.18
