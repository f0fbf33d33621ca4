module example.com/bgpd/policy

go 1.22
