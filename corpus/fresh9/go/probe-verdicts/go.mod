module example.com/mesh/health

go 1.18
