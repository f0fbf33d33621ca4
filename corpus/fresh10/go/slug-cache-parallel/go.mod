module example.com/quill/slugs

go 1.22
