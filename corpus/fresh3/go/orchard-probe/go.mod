module github.com/deadheat-corpus/orchardprobe

go 1.18
