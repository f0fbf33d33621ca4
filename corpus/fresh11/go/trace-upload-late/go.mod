module example.com/spanhub/upload

go 1.22
