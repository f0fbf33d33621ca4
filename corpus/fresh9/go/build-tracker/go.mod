module example.com/ci/tracker

go 1.18
