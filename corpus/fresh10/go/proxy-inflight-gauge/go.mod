module example.com/sluice/proxy

go 1.22
