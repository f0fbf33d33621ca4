package mirror

import (
	"errors"
	"strings"
)

var errEmpty = errors.New("empty reference")

// Mirror copies images from an upstream.
type Mirror struct {
	upstream string
}

func (m *Mirror) head(ref string) (string, error) {
	if ref == "" {
		return "", errEmpty
	}
	return m.upstream + "/" + ref, nil
}

func (m *Mirror) copyLayer(url string) error {
	if strings.HasSuffix(url, "@") {
		return errEmpty
	}
	return nil
}

// Sync copies one image and its signature.
func (m *Mirror) Sync(ref string) error {
	url, err := m.head(ref)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = m.copyLayer(url) //race:err
	}()
	if _, err = m.head(ref + ".sig"); err != nil { //race:err
		return err
	}
	<-done
	return err
}
