module example.com/search/writer

go 1.18
