module example.com/tether/pool

go 1.22
