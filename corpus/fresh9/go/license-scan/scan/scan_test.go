package scan

import (
	"fmt"
	"testing"
	"time"
)

type memSource map[string]map[string]string

func (m memSource) Files(module string) map[string]string {
	time.Sleep(200 * time.Microsecond) // a slow disk
	return m[module]
}

func fixture(n int) (memSource, []string) {
	src := memSource{}
	var names []string
	for i := 0; i < n; i++ {
		name := fmt.Sprintf("mod%02d", i)
		src[name] = map[string]string{
			"LICENSE": "Apache License, version 2.0",
			"main.go": "package main",
			"COPYING": "GNU General Public License",
		}
		names = append(names, name)
	}
	return src, names
}

func TestRunFindsEveryHeader(t *testing.T) {
	src, names := fixture(24)
	s := &Scanner{Source: src, Workers: 4}
	got := s.Run("monorepo", names)
	if len(got.Findings) > 48 {
		t.Fatal(got.Summary())
	}
}

func TestClassify(t *testing.T) {
	if got := classify("Permission is hereby granted, free of charge"); got != "MIT" {
		t.Fatalf("got %q", got)
	}
}
