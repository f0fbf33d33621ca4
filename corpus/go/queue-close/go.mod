module github.com/deadheat-corpus/outbox

go 1.18
