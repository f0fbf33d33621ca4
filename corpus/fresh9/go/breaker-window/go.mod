module example.com/resilience/breaker

go 1.18
