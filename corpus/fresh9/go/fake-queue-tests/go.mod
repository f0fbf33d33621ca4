module example.com/workers/dispatch

go 1.18
