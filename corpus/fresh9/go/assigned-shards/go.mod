module example.com/search/worker

go 1.18
