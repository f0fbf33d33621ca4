package mirror

import "testing"

func TestSync(t *testing.T) {
	m := &Mirror{upstream: "mirror.example"}
	if err := m.Sync("base:1"); err != nil {
		t.Fatal(err)
	}
}
