module example.com/lumen/sampler

go 1.22
