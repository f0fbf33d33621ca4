module example.com/highlands/bake

go 1.22
