module example.com/telemetry/ring

go 1.18
