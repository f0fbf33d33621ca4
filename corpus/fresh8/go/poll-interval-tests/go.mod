module github.com/deadheat-corpus/pollintervaltests

go 1.18
