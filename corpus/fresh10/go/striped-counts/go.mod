module example.com/pulsar/stripes

go 1.22
