module github.com/deadheat-corpus/archivepipe

go 1.18
