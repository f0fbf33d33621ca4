module example.com/callbox/breaker

go 1.22
