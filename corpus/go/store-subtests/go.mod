module example.com/shop/store

go 1.18
