package codec

import "testing"

var defaults = &Options{}

func mustEncode(t *testing.T, v any, indent string, compress bool) []byte {
	t.Helper()
	defaults.Indent = indent     //race:Options.Indent
	defaults.Compress = compress //race:Options.Compress
	out, err := Encode(v, defaults)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
