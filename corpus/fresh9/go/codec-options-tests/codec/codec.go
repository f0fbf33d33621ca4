package codec

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
)

// Options say how values are encoded.
type Options struct {
	Indent   string
	Compress bool
}

// Encode turns a value into bytes.
func Encode(v any, o *Options) ([]byte, error) {
	var out []byte
	var err error
	if o.Indent != "" { //race:Options.Indent
		out, err = json.MarshalIndent(v, "", o.Indent) //race:Options.Indent
	} else {
		out, err = json.Marshal(v)
	}
	if err != nil || !o.Compress { //race:Options.Compress
		return out, err
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(out); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
