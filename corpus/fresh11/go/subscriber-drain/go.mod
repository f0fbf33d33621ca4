module example.com/queueworks/drain

go 1.22
