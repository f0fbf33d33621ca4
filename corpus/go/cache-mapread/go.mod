module example.com/shop/pricecache

go 1.18
