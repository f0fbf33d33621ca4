module example.com/folio/editor

go 1.22
