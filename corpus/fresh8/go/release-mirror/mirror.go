package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

var errMissing = errors.New("not found")

type remote struct {
	base  string
	files map[string]string
}

func (r *remote) fetch(path string) (string, error) {
	body, ok := r.files[path]
	if !ok {
		return "", fmt.Errorf("%s%s: %w", r.base, path, errMissing)
	}
	return body, nil
}

type release struct {
	manifest  string
	signature string
}

// sync brings the metadata of a release over.
func syncRelease(r *remote, version string) (*release, error) {
	var (
		wg  sync.WaitGroup
		err error
		out release
	)
	wg.Add(2)
	go func() {
		defer wg.Done()
		out.manifest, err = r.fetch(version + "/MANIFEST") //race:err
	}()
	go func() {
		defer wg.Done()
		out.signature, err = r.fetch(version + "/MANIFEST.sig") //race:err
	}()
	wg.Wait()
	if err != nil {
		return nil, err
	}
	return &out, nil
}

func main() {
	r := &remote{"https://mirror.example/", map[string]string{
		"v1/MANIFEST": "a b c", "v1/MANIFEST.sig": "0xfeed", "v2/MANIFEST": "d",
	}}
	one, err := syncRelease(r, "v1")
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.Fields(one.manifest), one.signature != "")
}
