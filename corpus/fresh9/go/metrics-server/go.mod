module example.com/node/exporter

go 1.19
