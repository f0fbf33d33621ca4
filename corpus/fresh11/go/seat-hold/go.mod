module example.com/boxoffice/seats

go 1.22
