module github.com/deadheat-corpus/canaltracker

go 1.18
