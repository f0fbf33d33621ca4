package log

import (
	"fmt"
	"io"
	"sync"
)

type Level int

const (
	Debug Level = iota
	Info
	Warn
)

var threshold = Info

// SetLevel changes what is logged from now on.
func SetLevel(l Level) { threshold = l } //race:threshold

// Enabled says whether a level is logged.
func Enabled(l Level) bool { return l >= threshold } //race:threshold

type Logger struct {
	mu  sync.Mutex
	out io.Writer
}

func New(out io.Writer) *Logger { return &Logger{out: out} }

func (l *Logger) logf(lv Level, format string, args ...any) {
	if !Enabled(lv) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, format+"\n", args...)
}

func (l *Logger) Debugf(format string, args ...any) { l.logf(Debug, format, args...) }
func (l *Logger) Infof(format string, args ...any)  { l.logf(Info, format, args...) }
