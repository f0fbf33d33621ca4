module example.com/gavel/auction

go 1.22
