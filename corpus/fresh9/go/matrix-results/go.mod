module example.com/ci/matrix

go 1.22
