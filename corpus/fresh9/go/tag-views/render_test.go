package assets

import (
	"strings"
	"testing"
)

func TestPublish(t *testing.T) {
	a := NewAsset("srv-9", "rack:4", "env:prod", "team:core", "dc:eu")
	text, js, err := Publish(a)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text, "srv-9 #") || !strings.Contains(js, `"dc:eu"`) {
		t.Error(text, js)
	}
}
