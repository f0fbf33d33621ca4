module example.com/spindle/crawl

go 1.22
