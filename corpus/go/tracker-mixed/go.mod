module example.com/mem/tracker

go 1.18
