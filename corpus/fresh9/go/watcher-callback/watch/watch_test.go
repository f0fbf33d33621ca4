package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestCallbackOnChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(path, []byte("<p>"), 0o644); err != nil {
		t.Fatal(err)
	}
	changed := false
	w := Start(path, time.Millisecond, func(int64) {
		changed = true //race:changed
	})
	defer w.Stop()

	time.Sleep(20 * time.Millisecond)
	if err := os.WriteFile(path, []byte("<p>hello</p>"), 0o644); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if !changed { //race:changed
		t.Error("no callback")
	}
}
