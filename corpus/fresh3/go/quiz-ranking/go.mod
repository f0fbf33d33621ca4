module github.com/deadheat-corpus/quizranking

go 1.18
