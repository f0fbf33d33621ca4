module example.com/arcade/scores

go 1.22
