module example.com/crawl/spider

go 1.18
