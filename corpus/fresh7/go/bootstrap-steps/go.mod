module github.com/deadheat-corpus/bootstrapsteps

go 1.18
