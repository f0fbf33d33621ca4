package store

import "time"

var (
	timeNow  = func() int64 { return time.Now().UnixNano() }
	lifetime = int64(time.Hour)
)
