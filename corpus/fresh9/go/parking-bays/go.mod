module example.com/parking/bays

go 1.18
