module example.com/telemetry/points

go 1.18
