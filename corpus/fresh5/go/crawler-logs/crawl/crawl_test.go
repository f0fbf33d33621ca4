package crawl

import (
	"testing"
	"time"
)

func TestStart(t *testing.T) {
	c := &Crawler{Logf: t.Logf}
	for _, site := range []string{"a.example", "b.example"} {
		t.Run(site, func(t *testing.T) {
			c.Start("https://"+site, "https://"+site+"/about")
		})
	}
}

func TestIdle(t *testing.T) {
	time.Sleep(20 * time.Millisecond)
}
