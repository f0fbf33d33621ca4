module example.com/platform/settings

go 1.18
