package zoo

import (
	"testing"
	"time"
)

type phone chan string

func (p phone) Fed(animal string) { p <- animal }

func TestLateVisitor(t *testing.T) {
	feeding := NewFeeding(4)
	go func() {
		time.Sleep(2 * time.Millisecond)
		feeding.Subscribe(make(phone, 9))
		time.Sleep(20 * time.Millisecond)
	}()
	keeper := &Keeper{[]string{"otter", "lynx"}, 6 * time.Millisecond}
	if told := keeper.Round(feeding); told > 2 {
		t.Fatalf("told %d", told)
	}
}
