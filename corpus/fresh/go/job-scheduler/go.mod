module github.com/deadheat-corpus/jobsched

go 1.18
