module example.com/web/accesslog

go 1.20
