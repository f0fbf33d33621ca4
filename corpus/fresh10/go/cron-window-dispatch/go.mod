module example.com/nightshift/cron

go 1.21
