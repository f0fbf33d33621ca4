package upload

import (
	"errors"
	"path"
	"strings"
)

// ErrType says that files of this type are not taken.
var ErrType = errors.New("type not allowed")

// Uploader sends files.
type Uploader struct {
	Prefix string
	Types  []string
}

// Key is the name under which a file is stored.
func (u Uploader) Key(name string) string {
	return path.Join(u.Prefix, strings.ToLower(name))
}

// Send stores a file.
func (u Uploader) Send(name string, sent func(key string)) error {
	for _, t := range u.Types {
		if strings.HasSuffix(strings.ToLower(name), t) {
			sent(u.Key(name))
			return nil
		}
	}
	return ErrType
}
