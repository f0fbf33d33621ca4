module example.com/shop/shipping

go 1.18
