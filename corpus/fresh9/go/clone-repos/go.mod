module example.com/mirrors/clone

go 1.18
