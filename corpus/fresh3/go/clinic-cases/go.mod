module github.com/deadheat-corpus/cliniccases

go 1.18
