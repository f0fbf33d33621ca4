module example.com/logstore/retention

go 1.22
