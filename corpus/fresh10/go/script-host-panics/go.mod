module example.com/puppet/scripts

go 1.22
