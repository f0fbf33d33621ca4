module example.com/stream/consumer

go 1.18
