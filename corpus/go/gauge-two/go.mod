module example.com/telemetry/gauge

go 1.18
