module example.com/etl/stages

go 1.22
