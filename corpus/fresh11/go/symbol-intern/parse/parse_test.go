package parse

import (
	"testing"

	"example.com/tinyc/symtab/symtab"
)

func TestFilesShareNames(t *testing.T) {
	got := Files(symtab.New(), []string{"int main void", "int puts char", "struct node next"})
	for i, n := range got {
		if n != 3 {
			t.Errorf("file %d: %d words", i, n)
		}
	}
}
