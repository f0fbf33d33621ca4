module github.com/deadheat-corpus/listenerdrain

go 1.18
