module example.com/cdn/counter

go 1.18
