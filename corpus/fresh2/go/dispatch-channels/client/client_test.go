package client

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/dispatchchannels/dispatch"
)

func TestStopSoon(t *testing.T) {
	d := dispatch.Start(1)
	go New(d, 3*time.Millisecond).Run(2)
	time.Sleep(15 * time.Millisecond)
	d.Stop()
}
