module example.com/rackwatch/sampler

go 1.22
