module example.com/vulnscan/jobs

go 1.22
