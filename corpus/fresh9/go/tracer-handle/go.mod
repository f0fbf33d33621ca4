module example.com/svc/tracing

go 1.18
