package blob

import (
	"bytes"
	"testing"
	"time"
)

type memory struct{}

func (memory) Begin(string) (string, error) { return "u1", nil }

func (memory) PutPart(_ string, n int, data []byte) (string, error) {
	time.Sleep(3 * time.Millisecond)
	if n == 2 {
		return "", ErrThrottled
	}
	return string(data[:1]), nil
}

func (memory) Complete(string, []string) error { return nil }

func TestUploadInParts(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 50)
	if err := Upload(memory{}, "backup.tar", data, 16); err != nil {
		t.Log("upload:", err)
	}
}
