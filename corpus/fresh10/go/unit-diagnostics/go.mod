module example.com/ferrite/compiler

go 1.22
