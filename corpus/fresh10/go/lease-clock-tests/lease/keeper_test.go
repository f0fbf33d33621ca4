package lease

import (
	"context"
	"testing"
	"time"
)

type leaping struct{ base time.Time }

func (l leaping) Now() time.Time {
	return l.base.Add(time.Since(l.base) * 3600)
}

func TestRenewsEarly(t *testing.T) {
	k := NewKeeper(time.Second)
	k.Start(context.Background())
	time.Sleep(300 * time.Microsecond)
	k.Clock = leaping{time.Now()} //race:Keeper.Clock
	time.Sleep(4 * time.Millisecond)
	k.Stop()
	if n := k.Renewals(); n < 2 {
		t.Errorf("renewed %d times", n)
	}
}
