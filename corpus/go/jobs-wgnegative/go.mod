module example.com/batch/jobs

go 1.18
