module example.com/batch/steps

go 1.18
