module example.com/poolfs/scrub

go 1.22
