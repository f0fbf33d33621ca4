package dial

import (
	"testing"
	"time"
)

func TestTimeouts(t *testing.T) {
	opts := &Options{Addr: "127.0.0.1:9000", Timeout: time.Second, Retries: 1}
	tests := map[string]struct {
		timeout time.Duration
		delay   time.Duration
		fails   bool
	}{
		"fast peer":  {time.Second, time.Millisecond, false},
		"slow peer":  {time.Second, 1500 * time.Millisecond, false},
		"dead peer":  {time.Second, time.Hour, true},
		"short wait": {100 * time.Millisecond, time.Hour, true},
	}
	for name, tt := range tests {
		tt := tt
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts.Timeout = tt.timeout //race:Options.Timeout
			_, err := Dial(opts, tt.delay)
			if (err != nil) != tt.fails {
				t.Errorf("got %v", err)
			}
			time.Sleep(time.Millisecond)
		})
	}
}
