module example.com/tinyc/symtab

go 1.22
