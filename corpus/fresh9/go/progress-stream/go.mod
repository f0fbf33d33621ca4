module example.com/jobs/progress

go 1.18
