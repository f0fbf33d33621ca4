module example.com/ads/frequency

go 1.18
