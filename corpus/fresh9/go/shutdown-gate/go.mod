module example.com/svc/lifecycle

go 1.20
