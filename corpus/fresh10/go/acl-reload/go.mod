module example.com/portcullis/acl

go 1.22
