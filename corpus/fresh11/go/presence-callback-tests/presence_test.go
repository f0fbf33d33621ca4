package presence

import (
	"testing"
	"time"
)

func TestPingBringsOnline(t *testing.T) {
	online := ""
	tr := Track(func(user string, up bool) {
		if up {
			online = user //race:online
		}
	})
	defer tr.Close()
	tr.Ping("ada")
	for i := 0; i < 50 && online == ""; i++ { //race:online
		time.Sleep(time.Millisecond)
	}
	t.Logf("online: %q", online) //race:online
}
