module example.com/dev/livereload

go 1.18
