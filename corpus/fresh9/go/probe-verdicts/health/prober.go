package health

import (
	"context"
	"time"
)

type Dial func(ctx context.Context, addr string) error

type Prober struct {
	Dial  Dial
	Every time.Duration
}

func (p *Prober) Watch(ctx context.Context, ups []*Upstream) {
	for _, u := range ups {
		go func(u *Upstream) {
			for ctx.Err() == nil {
				u.observe(p.Dial(ctx, u.Addr))
				time.Sleep(p.Every)
			}
		}(u)
	}
}

// Pick returns the healthy upstream with the best score.
func Pick(ups []*Upstream) *Upstream {
	var best *Upstream
	for _, u := range ups {
		if !u.Healthy() {
			continue
		}
		if score := u.Score(); best == nil || score < best.Score() {
			best = u
		}
	}
	return best
}
