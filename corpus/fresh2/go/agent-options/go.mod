module github.com/deadheat-corpus/agentoptions

go 1.18
