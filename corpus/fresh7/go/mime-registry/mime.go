package main

import (
	"path"
	"strings"
)

var builtin = []string{"html text/html", "css text/css", "js text/javascript", "png image/png"}

var mediaTypes map[string]string

func loadMediaTypes() map[string]string {
	m := make(map[string]string, len(builtin)) //race:mediaTypes[]
	for _, line := range builtin {
		ext, kind, _ := strings.Cut(line, " ")
		m["."+ext] = kind //race:mediaTypes[]
	}
	return m
}

func table() map[string]string {
	if mediaTypes == nil { //race:mediaTypes
		mediaTypes = loadMediaTypes() //race:mediaTypes
	}
	return mediaTypes //race:mediaTypes
}

// typeOf returns the media type of a file by its name.
func typeOf(name string) string {
	if kind, ok := table()[path.Ext(name)]; ok { //race:mediaTypes[]
		return kind
	}
	return "application/octet-stream"
}
