module github.com/deadheat-corpus/currencyrates

go 1.18
