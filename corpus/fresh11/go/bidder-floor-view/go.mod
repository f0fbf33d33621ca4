module example.com/adx/floors

go 1.22
