module example.com/dns/resolver

go 1.18
