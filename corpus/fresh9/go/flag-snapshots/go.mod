module example.com/flags/sdk

go 1.21
