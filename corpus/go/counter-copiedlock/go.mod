module example.com/telemetry/counter

go 1.18
