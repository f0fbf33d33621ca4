module example.com/ota/push

go 1.21
