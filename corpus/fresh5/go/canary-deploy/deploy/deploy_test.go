package deploy

import (
	"testing"
	"time"
)

func TestCanarySteps(t *testing.T) {
	err := Canary(Fake{Delay: 2 * time.Millisecond}, "shop:1.4", []int{5, 25, 50, 75, 100})
	if err != nil {
		t.Log(err)
	}
	time.Sleep(3 * time.Millisecond)
}
