module example.com/rackwatch/disks

go 1.22
