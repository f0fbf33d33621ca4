// Package license knows what was paid for.
package license

import "time"

// License is a grant.
type License struct {
	Seats   int
	Expires time.Time
}

var current = &License{Seats: 5, Expires: time.Now().Add(time.Hour)}

// Allows tells whether that many seats are paid for now.
func Allows(seats int) bool {
	l := current //race:current
	return seats <= l.Seats && time.Now().Before(l.Expires)
}

// Renew fetches the license again and again.
func Renew(fetch func() *License, times int, every time.Duration) {
	for i := 0; i < times; i++ {
		if l := fetch(); l != nil {
			current = l //race:current
		}
		time.Sleep(every)
	}
}
