module example.com/dns/publish

go 1.18
