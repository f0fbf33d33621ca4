module example.com/portage/router

go 1.22
