module example.com/inventory/assets

go 1.18
