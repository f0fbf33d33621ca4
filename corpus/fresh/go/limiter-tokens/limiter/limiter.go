// Package limiter keeps clients from asking too often.
package limiter

import (
	"net"
	"net/http"
	"sync"
)

// Limiter has a bucket per client.
type Limiter struct {
	burst   int
	mu      sync.Mutex
	buckets map[string]*bucket
}

// New returns a limiter that allows burst requests in a row.
func New(burst int) *Limiter {
	return &Limiter{burst: burst, buckets: make(map[string]*bucket)}
}

func (l *Limiter) bucketOf(client string) *bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets[client]
	if !ok {
		b = &bucket{client: client, tokens: l.burst, burst: l.burst}
		l.buckets[client] = b
	}
	return b
}

// Allow says whether the client may go on.
func (l *Limiter) Allow(client string) bool {
	return l.bucketOf(client).take()
}

// Wrap puts the limiter in front of a handler.
func (l *Limiter) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			host = r.RemoteAddr
		}
		if !l.Allow(host) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "slow down", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
