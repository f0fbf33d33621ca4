package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

type codec func([]byte) string

var codecs map[string]codec

func table() map[string]codec {
	if codecs == nil { //race:codecs
		m := make(map[string]codec)
		m["hex"] = hex.EncodeToString
		m["base64"] = base64.StdEncoding.EncodeToString
		m["quoted"] = func(b []byte) string { return strconv.Quote(string(b)) }
		time.Sleep(500 * time.Microsecond)
		codecs = m //race:codecs
	}
	return codecs //race:codecs
}

func encode(kind string, body []byte) (string, error) {
	c, ok := table()[kind]
	if !ok {
		return "", fmt.Errorf("codec %q is not known", kind)
	}
	return c(body), nil
}
