module example.com/wattage/meter

go 1.22
