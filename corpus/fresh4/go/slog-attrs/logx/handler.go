// Package logx writes records as lines.
package logx

import (
	"context"
	"log/slog"
)

type handler struct {
	level slog.Level
	attrs []slog.Attr
	lines chan<- string
}

// New returns a logger that sends lines to a channel.
func New(lines chan<- string) *slog.Logger {
	return slog.New(&handler{attrs: make([]slog.Attr, 0, 8), lines: lines})
}

func (h *handler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

func (h *handler) WithGroup(string) slog.Handler { return h }

// WithAttrs returns a handler with more attributes.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	child := *h
	for _, a := range attrs {
		child.attrs = append(child.attrs, a) //race:handler.attrs[]
	}
	return &child
}

// Handle writes a record.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	for i := range h.attrs {
		line += " " + h.attrs[i].Key //race:handler.attrs[]
	}
	h.lines <- line
	return nil
}
