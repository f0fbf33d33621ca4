package stats

import (
	"net/http"
)

// Codes counts responses by status code.
type Codes struct {
	byCode map[int]int
}

func New() *Codes { return &Codes{byCode: make(map[int]int)} }

type statusWriter struct {
	http.ResponseWriter
	code int
}

func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// Wrap counts what next answers.
func (c *Codes) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sw := &statusWriter{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(sw, r)
		c.byCode[sw.code]++ //race:Codes.byCode[]
	})
}

// Total is the number of responses.
func (c *Codes) Total() int {
	sum := 0
	for _, n := range c.byCode { //race:Codes.byCode[]
		sum += n
	}
	return sum
}
