module example.com/basket/promo

go 1.22
