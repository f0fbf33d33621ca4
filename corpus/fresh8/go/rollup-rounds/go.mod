module github.com/deadheat-corpus/rolluprounds

go 1.18
