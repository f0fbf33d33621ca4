module example.com/exchange/book

go 1.18
