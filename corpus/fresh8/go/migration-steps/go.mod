module github.com/deadheat-corpus/migrationsteps

go 1.18
