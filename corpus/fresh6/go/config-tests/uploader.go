package upload

import (
	"fmt"
	"strings"
	"time"
)

type Config struct {
	Region string
	Prefix string
	Limit  int
}

// cfg is read from the environment at start.
var cfg = Config{Region: "eu-1", Limit: 1 << 20}

type Object struct {
	Key  string
	Size int
}

func keyFor(name string) string {
	parts := []string{cfg.Region, cfg.Prefix, name} //race:cfg.Region
	return strings.Trim(strings.Join(parts, "/"), "/")
}

// Upload returns the key under which the bytes are kept.
func Upload(name string, body []byte) (Object, error) {
	if len(body) > cfg.Limit {
		return Object{}, fmt.Errorf("%s: %d bytes are too many", name, len(body))
	}
	time.Sleep(time.Millisecond)
	return Object{Key: keyFor(name), Size: len(body)}, nil
}
