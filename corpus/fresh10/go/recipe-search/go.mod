module example.com/larder/search

go 1.22
