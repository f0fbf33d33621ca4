module github.com/deadheat-corpus/eventoutbox

go 1.18
