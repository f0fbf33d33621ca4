module example.com/proxy/acl

go 1.20
