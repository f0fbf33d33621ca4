module example.com/social/feed

go 1.18
