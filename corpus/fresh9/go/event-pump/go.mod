module example.com/ui/events

go 1.18
