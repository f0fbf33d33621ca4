module example.com/http/retry

go 1.18
