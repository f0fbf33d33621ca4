module example.com/recipes/units

go 1.18
