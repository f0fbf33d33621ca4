module example.com/poolfs/inodes

go 1.22
