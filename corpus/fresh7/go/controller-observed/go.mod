module github.com/deadheat-corpus/controllerobserved

go 1.18
