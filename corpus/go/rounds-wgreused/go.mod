module example.com/batch/rounds

go 1.18
