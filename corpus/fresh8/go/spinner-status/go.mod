module github.com/deadheat-corpus/spinnerstatus

go 1.18
