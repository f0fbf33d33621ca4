module example.com/kv/client

go 1.18
