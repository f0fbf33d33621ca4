module example.com/deploy/orchestrate

go 1.22
