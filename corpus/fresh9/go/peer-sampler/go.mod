module example.com/overlay/sampler

go 1.18
