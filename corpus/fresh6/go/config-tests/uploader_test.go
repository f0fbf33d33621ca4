package upload

import (
	"strings"
	"testing"
)

func TestUploadRegion(t *testing.T) {
	t.Parallel()
	cfg.Region = "us-2" //race:cfg.Region
	o, err := Upload("a.bin", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(o.Key, "a.bin") {
		t.Errorf("key %s", o.Key)
	}
}

func TestUploadOtherRegion(t *testing.T) {
	t.Parallel()
	cfg.Region = "ap-3" //race:cfg.Region
	if o, err := Upload("b.bin", nil); err != nil || o.Size != 0 {
		t.Errorf("%v, %v", o, err)
	}
}
