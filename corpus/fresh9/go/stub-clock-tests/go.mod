module example.com/queue/delay

go 1.18
