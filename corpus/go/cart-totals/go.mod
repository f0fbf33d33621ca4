module example.com/shop/cart

go 1.18
