package review

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestCompareManyFiles(t *testing.T) {
	var files []File
	for i := 0; i < 8; i++ {
		files = append(files, File{
			Path: fmt.Sprintf("pkg/file%d.go", i),
			Old:  strings.Repeat("a\n", 200),
			New:  strings.Repeat("a\nb\n", 100),
		})
	}
	if _, err := (Differ{}).Compare(context.Background(), files); err != nil {
		t.Fatal(err)
	}
}
