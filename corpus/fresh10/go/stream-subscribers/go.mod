module example.com/herald/push

go 1.22
