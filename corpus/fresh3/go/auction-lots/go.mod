module github.com/deadheat-corpus/auctionlots

go 1.18
