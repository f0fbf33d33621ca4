module example.com/fraudwall/rules

go 1.22
