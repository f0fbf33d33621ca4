module example.com/cache/ttl

go 1.18
