module github.com/deadheat-corpus/treeupload

go 1.18
