module github.com/deadheat-corpus/bufferpages

go 1.18
