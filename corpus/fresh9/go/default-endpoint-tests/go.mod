module example.com/sdk/geo

go 1.18
