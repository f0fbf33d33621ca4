module example.com/telemetry/stats

go 1.18
