module github.com/deadheat-corpus/artifactcollector

go 1.18
