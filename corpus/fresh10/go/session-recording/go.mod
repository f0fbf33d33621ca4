module example.com/looking/glass

go 1.22
