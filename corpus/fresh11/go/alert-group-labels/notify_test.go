package notify

import "testing"

func TestTitlesOfEveryReceiver(t *testing.T) {
	g := Group{
		Labels:   map[string]string{"alertname": "DiskFull", "severity": "page"},
		Receiver: []string{"oncall", "chat", "mail", "ticket"},
	}
	got := g.Titles()
	if len(got) != 4 {
		t.Fatalf("titles: %q", got)
	}
	for _, one := range got {
		if one == "" {
			t.Error("an empty title")
		}
	}
}
