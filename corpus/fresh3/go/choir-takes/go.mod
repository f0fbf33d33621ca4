module github.com/deadheat-corpus/choirtakes

go 1.18
