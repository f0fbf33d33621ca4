module example.com/gaugeworks/statsd

go 1.22
