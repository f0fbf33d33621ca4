module example.com/kv/roster

go 1.18
