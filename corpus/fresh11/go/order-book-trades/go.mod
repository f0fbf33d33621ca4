module example.com/matcher/book

go 1.22
