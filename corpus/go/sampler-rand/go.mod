module example.com/telemetry/sampler

go 1.18
