package assets

import (
	"testing"
	"testing/fstest"
)

func TestLoad(t *testing.T) {
	b, err := Load(fstest.MapFS{
		"textures/wall.png": {Data: []byte("png")},
		"sounds/step.ogg":   {Data: []byte("ogg")},
	})
	if err != nil || len(b.Textures) != 1 || len(b.Sounds) != 1 {
		t.Fatal(b, err)
	}
}

func TestLoadMissing(t *testing.T) {
	if _, err := Load(fstest.MapFS{}); err == nil {
		t.Fatal("no error")
	}
}
