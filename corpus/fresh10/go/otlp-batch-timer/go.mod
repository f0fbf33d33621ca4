module example.com/beacon/otlp

go 1.22
