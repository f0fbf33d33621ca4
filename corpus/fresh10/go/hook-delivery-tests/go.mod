module example.com/herald/hooks

go 1.22
