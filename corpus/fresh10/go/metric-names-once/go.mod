module example.com/pulsar/names

go 1.22
