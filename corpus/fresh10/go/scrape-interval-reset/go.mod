module example.com/pulsar/scrape

go 1.22
