// Package audit writes down who did what.
package audit

import "bytes"

func line(to *bytes.Buffer, words ...string) {
	for i, word := range words {
		if i > 0 {
			to.WriteByte(' ')
		}
		to.WriteString(word)
	}
	to.WriteByte('\n')
}
