module example.com/gateway/stats

go 1.18
