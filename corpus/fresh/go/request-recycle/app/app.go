// Package app is a service on top of httpd.
package app

import (
	"strings"
	"time"

	"github.com/deadheat-corpus/recycle/httpd"
)

// App notes who asked for what.
type App struct {
	notes chan string
}

// New returns an app.
func New() *App {
	return &App{notes: make(chan string, 16)}
}

// Handle answers at once and notes later.
func (a *App) Handle(r *httpd.Request) string {
	go a.enrich(r)
	return "202 accepted"
}

func (a *App) enrich(r *httpd.Request) {
	time.Sleep(4 * time.Millisecond) // ask the directory
	user := r.User()
	a.notes <- user + ":" + strings.Join(r.Tags(), ",") //race:Request.tags[]
}
