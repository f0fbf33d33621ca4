module example.com/dial/settings

go 1.22
